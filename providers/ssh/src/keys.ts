import { readFileSync } from 'node:fs';
import { ErrandError } from '@errand/contract';
import type { Key } from './client.ts';
import { accountOf, atHome } from './options.ts';
import type { HopOptions } from './options.ts';

const usual = ['~/.ssh/id_ed25519', '~/.ssh/id_ecdsa', '~/.ssh/id_rsa'];

export interface Keys {
  readonly keys: readonly Key[];
  readonly agent: string | undefined;
  readonly agentFirst: boolean;
}

export interface KeySources {
  /** The plaintext behind a reference; absent when nobody can tell. */
  readonly secret: ((reference: string) => Promise<string>) | undefined;
  readonly agent: string | undefined;
  readonly trouble: (key: Key) => string | undefined;
}

/** Read when a connection is made and not kept: a key that was replaced serves the next one. */
export async function findKeys(hop: HopOptions, sources: KeySources): Promise<Keys> {
  const agent = hop.agent ?? sources.agent;
  if (hop.identity === undefined) {
    const keys = usual.flatMap((path) => readUsual(atHome(path))).filter((key) => sources.trouble(key) === undefined);
    return { keys, agent, agentFirst: true };
  }
  const key = await readIdentity(hop, hop.identity, sources);
  const trouble = sources.trouble(key);
  if (trouble === undefined) return { keys: [key], agent, agentFirst: false };
  // The agent may have the very key whose file is locked.
  if (agent !== undefined && key.passphrase === undefined) return { keys: [], agent, agentFirst: true };
  throw new ErrandError('provider/auth', `tried to reach ${accountOf(hop)}: the key ${hop.identity} cannot be used: ${trouble}`, {
    next: 'Name its passphrase with `passphrase: { secret: … }`, or add the key to an ssh-agent.',
  });
}

async function readIdentity(hop: HopOptions, path: string, { secret }: KeySources): Promise<Key> {
  const text = readKey(hop, path);
  if (hop.passphrase === undefined) return { text };
  if (secret) return { text, passphrase: await secret(hop.passphrase) };
  throw new ErrandError('secret/missing', `tried to unlock ${path}: nobody here can resolve ${hop.passphrase}`);
}

function readKey(hop: HopOptions, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ErrandError(
      'provider/auth',
      `tried to reach ${accountOf(hop)}: the key ${path} cannot be read: ${(error as Error).message}`,
      {
        next: 'Set `identity:` to a private key that this user can read.',
        cause: error,
      },
    );
  }
}

function readUsual(path: string): Key[] {
  try {
    return [{ text: readFileSync(path) }];
  } catch {
    return [];
  }
}
