// What a scenario of an optional service has to work with: the opened provider, and a resource where there is a sample of one.
import { mkdtemp, rm } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ask, Infra, Json, SecretCall } from '@errand/contract';
import { openDriverWorld } from '../driver/world.ts';
import type { DriverSubject, DriverWorld } from '../driver/world.ts';

export interface ServiceSubject extends DriverSubject {
  /** A state backend to try, by its name. */
  readonly stateBackend?: { readonly name: string; readonly config: Json };
}

export interface ServiceWorld extends AsyncDisposable {
  readonly subject: ServiceSubject;
  readonly infra: Infra;
  readonly ask: Ask;
  readonly call: () => SecretCall;
  /** Of the first sample; absent where there is none. */
  readonly resources: DriverWorld | undefined;
}

export async function openServiceWorld(subject: ServiceSubject): Promise<ServiceWorld> {
  const [sample] = subject.samples;
  if (sample) {
    const resources = await openDriverWorld(subject, sample);
    const { infra, ask, call } = resources;
    return { subject, infra, ask, call: () => call(), resources, [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose]() };
  }
  const home = await mkdtemp(join(tmpdir(), 'errand-service-'));
  const provider = await subject.open(home);
  const ask: Ask = { signal: new AbortController().signal, log: () => undefined };
  return {
    subject,
    infra: provider.infra ?? { drivers: new Map() },
    ask,
    call: () => ({
      ...ask,
      key: `key-${randomBytes(8).toString('hex')}`,
      epoch: 1,
      secret: async (reference) => `plain ${reference}`,
    }),
    resources: undefined,
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      await rm(home, { recursive: true, force: true });
    },
  };
}
