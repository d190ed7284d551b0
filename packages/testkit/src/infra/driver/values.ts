import { isErrandError } from '@errand/contract';
import { expect } from '../../expect.ts';
import type { DriverScenario } from './scenario.ts';

export const sensitive: DriverScenario = {
  name: 'outputs that must not be shown are named, before anything is made and in every answer',
  applies: (sample) => sample.sensitive !== undefined,
  async run({ driver, ask, make, sample, ref }) {
    const wanted = sample.sensitive ?? [];
    const made = await make();
    const seen = await driver.read(ref(made), ask);
    for (const key of wanted) {
      expect(Object.keys(made.outputs)).toContain(key);
      expect(driver.sensitiveKeys ?? []).toContain(key);
      expect(made.sensitive).toContain(key);
      expect(seen?.sensitive).toContain(key);
    }
    // And nowhere else in the answer.
    const shown = JSON.stringify({
      ...made,
      outputs: { ...made.outputs, ...Object.fromEntries(wanted.map((key) => [key, ''])) },
    });
    for (const value of wanted.map((key) => made.outputs[key])) {
      if (typeof value === 'string' && value.length > 5) expect(shown).not.toContain(value);
    }
  },
};

export const unknownKey: DriverScenario = {
  name: 'a config key that it does not know is refused, or can be seen to be unknown',
  async run({ driver, spec, call, ask, ref }) {
    const wanted = spec();
    const odd = { ...wanted, config: { ...wanted.config, no_such_key: 1 } };
    expect(driver.configKeys ?? []).not.toContain('no_such_key');
    if (driver.configKeys) {
      expect(driver.configKeys).toEqual(expect.arrayContaining(Object.keys(wanted.config)));
      return;
    }
    const answer = await driver.create(odd, call()).catch((error: unknown) => error);
    expect(isErrandError(answer)).toBe(true);
    expect(await driver.read(ref(wanted), ask)).toBeUndefined();
  },
};

export const healthy: DriverScenario = {
  name: 'what was created is healthy; what is gone is not',
  async run({ driver, ask, make, ref, call }) {
    const made = await make();
    if (!driver.health) return expect('health' in driver).toBe(false);
    expect(await driver.health(ref(made), ask)).toMatchObject({ healthy: true });
    await driver.delete(ref(made), call());
    expect(await driver.health?.(ref(made), ask)).toMatchObject({
      healthy: false,
      message: expect.stringMatching(/./) as string,
    });
  },
};

export const ownReplace: DriverScenario = {
  name: 'its own way of replacing gives another resource under the same name, once per key',
  applies: (sample) => sample.replaces === true,
  async run({ driver, ask, make, spec, ref, call, newKey }) {
    const wanted = spec();
    const made = await make(wanted);
    const other = spec('forced', wanted.name);
    const key = newKey();
    const now = await driver.replace?.(ref(made), other, call(key));
    expect(now && (await driver.diff(other, now, ask))).toMatchObject({ needsUpdate: false, needsReplace: false });
    expect(await driver.replace?.(ref(made), other, call(key))).toEqual(now);
    expect(await driver.read(ref(wanted), ask)).toEqual(now);
  },
};
