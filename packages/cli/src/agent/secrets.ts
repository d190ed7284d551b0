// Secrets of the agent itself. A job names one as `secret://agent/NAME` in a variable; the agent puts the value in if
// its own list allows the name. What a client resolves and sends with a job is the client's affair.
import { randomBytes } from 'node:crypto';
import { ErrandError } from '@errand/contract';
import { createSecrets } from '@errand/core';
import { matches } from './policy.ts';

const prefix = 'secret://agent/';

export interface AgentSecrets {
  /** `secret/refused` for a name that is not on the list, whether there is such a secret or not. */
  resolve(reference: string): Promise<string>;
}

export const isAgentSecret = (text: string) => text.startsWith(prefix);

export function createAgentSecrets(
  settings: { readonly directory: string; readonly allow: readonly string[] } | undefined,
): AgentSecrets {
  // No variables: the agent's own environment is not a store. Versions are the client's affair: none is ever asked for.
  const files = settings && createSecrets({ env: {}, directory: settings.directory, versionKey: () => randomBytes(32) });
  return {
    async resolve(reference) {
      const name = reference.slice(prefix.length);
      if (!files || !settings.allow.some((pattern) => matches(pattern, name))) {
        throw new ErrandError('secret/refused', `the agent may not give out the secret ${JSON.stringify(name)}`, {
          next: 'Ask whoever runs the agent to name it in secrets.allow.',
        });
      }
      try {
        return await files.resolve(`secret://file/${name}`);
      } catch (error) {
        // Paths and modes on this machine are not the client's affair.
        throw new ErrandError('secret/missing', `the agent cannot read its secret ${JSON.stringify(name)}`, {
          next: 'Ask whoever runs the agent to look at its secret directory.',
          cause: error,
        });
      }
    },
  };
}
