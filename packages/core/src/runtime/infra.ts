import { hostname, userInfo } from 'node:os';
import type { Config } from '../config/types.ts';
import type { Engine } from '../engine/types.ts';
import { readStack } from '../infra/declare/read-stack.ts';
import { openInfra } from '../infra/open.ts';
import type { InfraStack } from '../infra/sdk.ts';
import { openStateStore } from '../store/infra/open.ts';

export interface StackWiring {
  readonly engine: Engine;
  readonly config: Config;
  readonly home: string;
  /** Of the store. */
  readonly url: string | undefined;
  readonly secretDirectory: string;
}

/** The stack that the config describes, or its variant for one environment. */
export async function openStack(wiring: StackWiring, options: { readonly env?: string } = {}): Promise<InfraStack> {
  const { engine, config, home, url, secretDirectory } = wiring;
  const stack = await readStack(config, {
    providers: engine.providers.definitions,
    secretVersion: (reference) => engine.secrets.version(reference),
    ...(options.env !== undefined && { env: options.env }),
  });
  return openInfra({
    engine,
    stack,
    openState: () => openStateStore({ home, url }),
    secretDirectory,
    owner: `${userName()}@${hostname()}`,
    heard: (event) => event.kind === 'recovered' && engine.log(`${event.resource}: ${event.what}`),
  });
}

/** A user without an entry in the system's list has a number only. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'somebody');
  }
}
