import { expect as vitest, test } from 'vitest';
import { checksIn, expect } from './expect.ts';

const fails = (run: () => void) => vitest(run).toThrow(/^expected /);

test('what is alike passes, and what is not fails', () => {
  expect({ a: 1, b: undefined }).toEqual({ a: 1 });
  expect({ a: [{ b: 1, c: 2 }], d: 3 }).toMatchObject({ a: [{ b: 1 }] });
  expect(Buffer.from('x')).toEqual(new Uint8Array([120]));
  fails(() => expect({ a: 1, b: 2 }).toEqual({ a: 1 }));
  fails(() => expect([1]).toEqual([1, 2]));
  fails(() => expect({ a: [{ b: 1 }] }).toMatchObject({ a: [{ b: 2 }] }));
  fails(() => expect({}).toMatchObject({ a: 1 }));
  fails(() => expect([1, 2]).toMatchObject([1]));
  fails(() => expect(new Map([['a', 1]])).toEqual(new Map([['a', 2]])));
  fails(() => expect(Buffer.from('x')).toEqual(Buffer.from('y')));
  fails(() => expect(undefined).toMatchObject({}));
});

test('every other expectation can fail, and the opposite of it too', () => {
  expect('abc').toContain('b');
  expect([{ a: 1 }]).toContainEqual({ a: 1 });
  expect('abc').toMatch(/^a/);
  expect(2).toBeGreaterThan(1);
  expect(1).toBeLessThanOrEqual(1);
  expect([1]).not.toContain(2);
  expect({ a: 'x' }).toMatchObject({ a: expect.stringMatching(/./) });
  expect([1, 2]).toEqual(expect.arrayContaining([2]));
  fails(() => expect({ a: '' }).toMatchObject({ a: expect.stringMatching(/./) }));
  fails(() => expect([1, 2]).toEqual(expect.arrayContaining([3])));
  fails(() => expect(undefined).toBeDefined());
  fails(() => expect('abc').toContain('d'));
  fails(() => expect([{ a: 1 }]).toContain({ a: 1 }));
  fails(() => expect([{ a: 1 }]).toContainEqual({ a: 2 }));
  fails(() => expect('abc').toMatch(/^b/));
  fails(() => expect(undefined).toMatch(/u/));
  fails(() => expect(1).toBeGreaterThan(1));
  fails(() => expect(undefined).toBeGreaterThan(1));
  fails(() => expect(1).toBeLessThan(1));
  fails(() => expect([1]).toHaveLength(2));
  fails(() => expect(undefined).toHaveLength(0));
  fails(() => expect(1).toBeUndefined());
  fails(() => expect('abc').not.toContain('b'));
  fails(() => expect(1).not.toBe(1));
});

test('a refusal is one only when it comes, and says what it should', async () => {
  const refused = () => Promise.reject(Object.assign(new Error('no such thing'), { code: 'x' }));
  await expect(refused()).rejects.toMatchObject({ code: 'x' });
  await expect(refused()).rejects.toThrow('no such');
  await expect(Promise.resolve()).resolves.toBeUndefined();
  await vitest(expect(refused()).rejects.toMatchObject({ code: 'y' })).rejects.toThrow('expected');
  await vitest(expect(Promise.resolve(1)).rejects.toThrow('x')).rejects.toThrow('it resolved to 1');
  await vitest(expect(Promise.resolve(1)).resolves.toBeUndefined()).rejects.toThrow('expected');
});

test('expectations are counted, also across turns', async () => {
  const count = await checksIn(async () => {
    expect(1).toBe(1);
    await Promise.resolve();
    expect(1).not.toBe(2);
    await expect(Promise.reject(new Error('x'))).rejects.toThrow('x');
  });
  vitest(count).toBe(3);
  vitest(await checksIn(async () => undefined)).toBe(0);
});
