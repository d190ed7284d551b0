import { hostname, userInfo } from 'node:os';
import type { Config } from '../config/types.ts';
import type { Engine } from '../engine/types.ts';
import { readStack } from '../infra/declare/read-stack.ts';
import { readStacks } from '../infra/declare/read-stacks.ts';
import type { CheckedStack } from '../infra/declare/read-stacks.ts';
import { openInfra, providersIn } from '../infra/open.ts';
import { validateStack } from '../infra/operate/validate.ts';
import type { InfraStack } from '../infra/sdk.ts';
import { readStateKey } from '../infra/state/key-file.ts';
import { createVault } from '../infra/state/seal.ts';
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
  const vault = createVault(() => readStateKey(secretDirectory));
  const stack = await readStack(config, {
    providers: engine.providers.definitions,
    // Under the key of the state, so that everybody who can open it tells the same versions.
    secretVersion: async (reference) => vault.seal(`${reference}\0${await engine.secrets.resolve(reference)}`).$fingerprint,
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

/** Reads the stacks and opens their providers; touches no state and asks no platform. */
export async function checkStacks(
  { engine, config }: Pick<StackWiring, 'engine' | 'config'>,
  { env }: { readonly env?: string } = {},
): Promise<readonly CheckedStack[]> {
  const { providers } = engine;
  const checked = await readStacks(config, { providers: providers.definitions }, env === undefined ? undefined : [env]);
  const judged = checked.map(async (one): Promise<CheckedStack> => {
    if (!one.stack) return one;
    return { ...one, diagnostics: await validateStack(one.stack, providersIn(one.stack, engine)) };
  });
  return Promise.all(judged);
}

/** A user without an entry in the system's list has a number only. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'somebody');
  }
}
