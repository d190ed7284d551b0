// What the answering side of the public contract works on: a provider that is opened when its config comes.
import { ErrandError } from '@errand/contract';
import type { Driver, Infra, Json, Provider } from '@errand/contract';
import type { AnswerOptions } from '../wire/answer.ts';
import { publicFailure } from './serve-failure.ts';

export interface Served extends AsyncDisposable {
  /** Says what there is, before any config has come. */
  readonly preview: Infra;
  /** Throws before `initialize`. */
  readonly infra: () => Infra;
  /** Called after each new opening. */
  readonly opened: (listener: (infra: Infra) => Promise<void>) => void;
  readonly initialize: (config: Json) => Promise<void>;
  readonly answers: AnswerOptions;
}

/** Without `open` the provider at hand answers for any config. */
export function createServed(
  name: string,
  provider: Pick<Provider, 'infra'>,
  open: ((config: Json) => Promise<Provider>) | undefined,
  answers: AnswerOptions,
): Served {
  const preview = provider.infra ?? { drivers: new Map<string, Driver>() };
  let current = open ? undefined : preview;
  let last: string | undefined;
  let turn = Promise.resolve();
  // Calls may be under way on an earlier one, so each stays until the end.
  const all: Provider[] = [];
  const listeners: ((infra: Infra) => Promise<void>)[] = [];

  async function reopen(config: Json): Promise<void> {
    const text = JSON.stringify(config);
    if (open === undefined || text === last) return;
    const next = await open(config);
    all.push(next);
    const infra = next.infra ?? { drivers: new Map<string, Driver>() };
    for (const listener of listeners) await listener(infra);
    current = infra;
    last = text;
  }

  return {
    preview,
    infra: () => {
      if (current) return current;
      throw new ErrandError('provider/refused', `called ${name} before its config came`, { next: 'Call Initialize first.' });
    },
    opened: (listener) => void listeners.push(listener),
    initialize: (config) => {
      const mine = turn.then(() => reopen(config));
      turn = mine.catch(() => undefined);
      return mine;
    },
    answers: { ...answers, fail: publicFailure },
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((one) => one[Symbol.asyncDispose]()));
    },
  };
}

export function driverOf(infra: Infra, type: string): Driver {
  if (type === '')
    throw new ErrandError('usage/invalid', 'was asked about a resource of no type', { next: 'Set resource_type.' });
  const driver = infra.drivers.get(type);
  if (driver) return driver;
  const known = [...infra.drivers.keys()].toSorted().join(', ') || 'none';
  throw new ErrandError('provider/refused', `was asked about the type ${JSON.stringify(type)}, which is not known here`, {
    next: `Use one of these: ${known}.`,
  });
}

/** Values come in the config over the public contract, so a reference that is still there cannot be resolved by anybody. */
export async function noSecret(reference: string): Promise<never> {
  throw new ErrandError('secret/missing', `tried to get the secret ${reference}: the caller sent the reference and no value`, {
    next: 'Resolve secrets at the host before the call.',
  });
}

export function unsupported(what: string): ErrandError {
  return new ErrandError('environment/unsupported', `was asked to ${what}; this provider cannot do that`);
}
