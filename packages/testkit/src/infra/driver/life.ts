import { expect } from '../../expect.ts';
import type { DriverScenario } from './scenario.ts';

const none = { needsUpdate: false, needsReplace: false, changes: [] };

export const created: DriverScenario = {
  name: 'what was created is read back as it was told, by id and by name, again and again',
  async run({ driver, ask, make, ref, spec, reopen }) {
    const wanted = spec();
    const made = await make(wanted);
    expect(made).toMatchObject({ name: wanted.name, type: wanted.type });
    expect(made.providerId).not.toBe('');
    expect(await driver.read(ref(made), ask)).toEqual(made);
    expect(await driver.read(ref(made), ask)).toEqual(made);
    expect(await (await reopen()).read(ref(wanted), ask)).toEqual(made);
  },
};

export const outputsAreData: DriverScenario = {
  name: 'outputs survive JSON',
  async run({ make }) {
    const made = await make();
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
  },
};

export const unchanged: DriverScenario = {
  name: 'no difference between what was created and what was wanted',
  async run({ driver, ask, make, spec, ref }) {
    const wanted = spec();
    const made = await make(wanted);
    expect(await driver.diff(wanted, made, ask)).toEqual(none);
    const seen = await driver.read(ref(made), ask);
    expect(seen && (await driver.diff(wanted, seen, ask))).toEqual(none);
  },
};

export const updated: DriverScenario = {
  name: 'a change in place: the difference is told, updated, and gone; the resource stays the same one',
  applies: (sample) => sample.changed !== undefined,
  async run({ driver, ask, make, spec, ref, call }) {
    const wanted = spec();
    const made = await make(wanted);
    const other = spec('changed', wanted.name);
    const diff = await driver.diff(other, made, ask);
    expect(diff).toMatchObject({ needsUpdate: true, needsReplace: false });
    expect(diff.changes.length).toBeGreaterThan(0);
    for (const change of diff.changes)
      expect(change).toMatchObject({ path: expect.stringMatching(/./) as string, forceNew: false });
    const now = await driver.update(ref(made), other, call());
    expect(now.providerId).toBe(made.providerId);
    expect(await driver.diff(other, now, ask)).toEqual(none);
    expect(await driver.read(ref(made), ask)).toEqual(now);
    expect(await driver.update(ref(made), other, call())).toEqual(now);
    expect(await driver.diff(wanted, now, ask)).toMatchObject({ needsUpdate: true });
  },
};

export const updateGone: DriverScenario = {
  name: 'updating what is gone is provider/not-found',
  async run({ driver, make, spec, ref, call }) {
    const wanted = spec();
    const made = await make(wanted);
    await driver.delete(ref(made), call());
    await expect(driver.update(ref(made), wanted, call())).rejects.toMatchObject({ code: 'provider/not-found' });
  },
};

export const replaced: DriverScenario = {
  name: 'what cannot be changed in place needs a replacement, and says which field',
  applies: (sample) => sample.forced !== undefined,
  async run({ driver, ask, make, spec }) {
    const wanted = spec();
    const made = await make(wanted);
    const diff = await driver.diff(spec('forced', wanted.name), made, ask);
    expect(diff.needsReplace).toBe(true);
    expect(diff.changes.some((change) => change.forceNew)).toBe(true);
  },
};

export const purely: DriverScenario = {
  name: 'diff asks nobody: it works without a way to the platform, alone and for many',
  async run({ driver, ask, make, spec, cutOff }) {
    const wanted = spec();
    const made = await make(wanted);
    const alone = await cutOff();
    expect(await alone.diff(wanted, made, ask)).toEqual(none);
    const other = spec('forced', wanted.name);
    expect(await alone.diff(other, made, ask)).toEqual(await driver.diff(other, made, ask));
    if (!alone.diffMany) return;
    const pairs = [wanted, other].map((desired) => ({ desired, current: made }));
    expect(await alone.diffMany(pairs, ask)).toEqual(await Promise.all(pairs.map((one) => driver.diff(one.desired, made, ask))));
  },
};

export const deleted: DriverScenario = {
  name: 'what was deleted is gone, and deleting it again is fine',
  async run({ driver, ask, make, ref, call }) {
    const made = await make();
    const key = 'delete-it';
    await driver.delete(ref(made), call(key));
    expect(await driver.read(ref(made), ask)).toBeUndefined();
    expect(await driver.read({ name: made.name, type: made.type }, ask)).toBeUndefined();
    await driver.delete(ref(made), call(key));
    await driver.delete({ name: made.name, type: made.type }, call());
  },
};

export const deletedByName: DriverScenario = {
  name: 'a resource is found by its name alone, to read and to delete',
  async run({ driver, ask, make, call }) {
    const made = await make();
    const byName = { name: made.name, type: made.type };
    expect(await driver.read(byName, ask)).toEqual(made);
    await driver.delete(byName, call());
    expect(await driver.read(byName, ask)).toBeUndefined();
  },
};

export const missing: DriverScenario = {
  name: 'what never was is undefined to read, never an error, and fine to delete',
  async run({ driver, ask, make, newName, call, sample }) {
    const name = newName();
    const made = await make();
    expect(await driver.read({ name, type: sample.type }, ask)).toBeUndefined();
    const lastOnes = made.providerId.replace(/.{4}$/, 'zzzz');
    expect(await driver.read({ name, type: sample.type, providerId: lastOnes }, ask)).toBeUndefined();
    await driver.delete({ name, type: sample.type, providerId: lastOnes }, call());
    await driver.delete({ name, type: sample.type }, call());
    expect(await driver.read({ name: made.name, type: made.type }, ask)).toEqual(made);
    if (!driver.readMany) return;
    const refs = [
      { name, type: sample.type },
      { name: made.name, type: made.type },
    ];
    expect(await driver.readMany(refs, ask)).toEqual([undefined, made]);
  },
};
