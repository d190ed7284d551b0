import { ErrandError } from '@errand/contract';
import type { Call, Driver, ErrorCode, Host, Provider } from '@errand/contract';
import { expect, test } from 'vitest';
import type { Ports } from '../ports.ts';
import { guardInfra } from './guard-infra.ts';
import { guardProvider } from './guard.ts';

/** Time passes only when somebody sleeps, so a deadline of ten minutes takes no time. */
function ports(): Pick<Ports, 'clock' | 'random'> & { readonly slept: number[] } {
  const slept: number[] = [];
  return {
    slept,
    clock: {
      now: () => 0,
      sleep: async (ms, signal) => {
        slept.push(ms);
        await new Promise((resolve) => setTimeout(resolve, ms >= 60_000 ? 30 : 0));
        void signal;
      },
    },
    random: { id: () => 'id', fraction: () => 0 },
  };
}

function hostOf(release: Host['release'], at = ports()): Host {
  const provider = { capabilities: {}, host: { release }, [Symbol.asyncDispose]: async () => {} } as unknown as Provider;
  const guarded = guardProvider(provider, {
    name: 'fake',
    ports: at,
    bucket: undefined,
    redact: (text) => text.replaceAll('hunter2', '***'),
  });
  return guarded.host as Host;
}

const call: Call = { key: 'k', epoch: 1, signal: new AbortController().signal, log: () => {} };

test('a passing error is repeated, with the same key', async () => {
  const keys: string[] = [];
  const host = hostOf(async (_place, { key }) => {
    keys.push(key);
    if (keys.length < 3) throw new ErrandError('provider/unreachable', 'no route');
  });
  await host.release({ key: 'p' }, call);
  expect(keys).toEqual(['k', 'k', 'k']);
});

test('a lasting error is not repeated', async () => {
  let calls = 0;
  const host = hostOf(async () => {
    calls++;
    throw new ErrandError('provider/auth', 'who are you');
  });
  await expect(host.release({ key: 'p' }, call)).rejects.toMatchObject({ code: 'provider/auth' });
  expect(calls).toBe(1);
});

test('no answer is a typed error at the deadline, also when the provider ignores its signal', async () => {
  const host = hostOf(() => new Promise(() => {}));
  await expect(host.release({ key: 'p' }, call)).rejects.toMatchObject({ code: 'provider/timeout' });
});

test('an abort ends the call at once with the caller’s reason', async () => {
  const host = hostOf(() => new Promise(() => {}));
  const controller = new AbortController();
  const waiting = host.release({ key: 'p' }, { ...call, signal: controller.signal });
  controller.abort(new Error('left'));
  await expect(waiting).rejects.toThrow('left');
});

test('anything that is thrown becomes a typed error without secrets', async () => {
  const host = hostOf(async () => {
    throw new Error('login with hunter2 failed');
  });
  await expect(host.release({ key: 'p' }, call)).rejects.toMatchObject({
    code: 'provider/failed',
    message: 'asked fake to release; it failed: login with *** failed',
  });
});

test.each([
  [false, 'provider/unreachable', 3],
  [true, 'provider/unreachable', 1],
  [true, 'provider/timeout', 1],
  [true, 'provider/throttled', 3],
] as const)(
  'a creation by a driver without keys (%s) that ends with %s is tried %i times',
  async (keyless, code: ErrorCode, times) => {
    let calls = 0;
    const create = async () => {
      if (++calls < 3) throw new ErrandError(code, 'not now');
      return { name: 'a', type: 't', providerId: 'id', outputs: {}, sensitive: [], status: '' };
    };
    const drivers = new Map([['t', { create, keyless } as unknown as Driver]]);
    const options = { name: 'fake', ports: ports(), bucket: undefined, redact: (text: string) => text };
    const guarded = guardInfra({ drivers }, options).drivers.get('t');
    const spec = { name: 'a', type: 't', config: {}, dependsOn: [] };
    await guarded?.create(spec, { ...call, secret: async () => '' }).catch(() => undefined);
    expect(calls).toBe(times);
  },
);
