import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { killedCreate } from './killed.ts';
import type { DriverScenario } from './scenario.ts';

export const sameKey: DriverScenario = {
  name: 'the same key adopts what it made, from another process too, one after the other and at once',
  async run({ driver, make, spec, newKey, call, reopen }) {
    const [wanted, key] = [spec(), newKey()];
    const made = await make(wanted, key);
    expect(await driver.create(wanted, call(key))).toEqual(made);
    const fresh = await reopen();
    expect(await fresh.create(wanted, call(key))).toEqual(made);
    const [other, otherKey] = [spec(), newKey()];
    const both = await Promise.all([driver, fresh].map((one) => one.create(other, call(otherKey))));
    expect(both[1]).toEqual(both[0]);
  },
};

export const otherKey: DriverScenario = {
  name: 'another key of the same name is a provider/conflict, and changes nothing',
  applies: (sample) => sample.namesRepeat !== true,
  async run({ driver, ask, make, spec, call, ref }) {
    const wanted = spec();
    const made = await make(wanted);
    const other = spec('changed', wanted.name);
    await expect(driver.create(other, call())).rejects.toMatchObject({ code: 'provider/conflict', retry: 'never' });
    expect(await driver.read(ref(made), ask)).toEqual(made);
  },
};

export const foreign: DriverScenario = {
  name: 'what somebody else put under the name is a provider/conflict, and is never deleted by name',
  applies: (sample) => sample.foreign !== undefined,
  async run({ driver, sample, spec, call, home, newName }) {
    const name = newName();
    const away = await sample.foreign?.(name, home);
    try {
      const wanted = spec('config', name);
      await expect(driver.create(wanted, call())).rejects.toMatchObject({ code: 'provider/conflict' });
      await driver.delete({ name, type: sample.type }, call());
      await expect(driver.create(wanted, call())).rejects.toMatchObject({ code: 'provider/conflict' });
    } finally {
      await away?.();
    }
  },
};

export const together: DriverScenario = {
  name: 'many are created at once, and each is its own',
  async run({ sample, spec, make }) {
    const wanted = Array.from({ length: sample.slow ? 2 : 6 }, () => spec());
    const made = await Promise.all(wanted.map((one) => make(one)));
    expect(made.map((one) => one.name)).toEqual(wanted.map((one) => one.name));
    expect(new Set(made.map((one) => one.providerId)).size).toBe(made.length);
  },
};

export const aborted: DriverScenario = {
  name: 'a signal ends the call and not the thing: the same key finishes it',
  async run({ driver, ask, spec, call, newKey, sample, ref }) {
    const before = spec();
    const key = newKey();
    await expect(driver.create(before, call(key, AbortSignal.abort(new Error('given up'))))).rejects.toThrow('given up');
    expect(await driver.read(ref(before), ask)).toBeUndefined();
    for (const ms of sample.slow ? [300] : [0, 2, 10, 40]) {
      const wanted = spec();
      const itsKey = newKey();
      const stop = new AbortController();
      const calling = driver.create(wanted, call(itsKey, stop.signal)).catch((error: unknown) => error);
      await sleep(ms);
      const asked = performance.now();
      stop.abort(new Error('given up'));
      await calling;
      expect(performance.now() - asked).toBeLessThan(2_000);
      const made = await driver.create(wanted, call(itsKey));
      expect(await driver.read(ref(made), ask)).toEqual(made);
    }
  },
};

export const killed: DriverScenario = {
  name: 'a process that is killed in the middle of a creation leaves what the same key adopts or finishes',
  applies: (_sample, subject) => subject.program !== undefined,
  async run(world) {
    const { driver, ask, spec, newKey, call, ref, sample } = world;
    const first = spec();
    const whole = await killedCreate(world, first, newKey(), undefined);
    expect(await driver.read(ref(first), ask)).toBeDefined();
    for (const part of sample.slow ? [0.5] : [0.2, 0.5, 0.9]) {
      const [wanted, key] = [spec(), newKey()];
      await killedCreate(world, wanted, key, whole * part);
      const made = await driver.create(wanted, call(key));
      expect(await driver.read(ref(made), ask)).toEqual(made);
      await driver.delete(ref(made), call());
      expect(await driver.read(ref(wanted), ask)).toBeUndefined();
    }
  },
};
