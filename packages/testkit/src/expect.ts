// The few expectations that scenarios use. Scenarios are run by vitest and by `errand provider test`, which has no test
// framework in it; so these stand on nothing but Node.
import { AssertionError } from 'node:assert';
import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect, isDeepStrictEqual } from 'node:util';

export interface Expectation {
  toBe(wanted: unknown): void;
  /** Alike in every part; a key without a value counts as absent. */
  toEqual(wanted: unknown): void;
  /** Alike in the parts that are named. */
  toMatchObject(wanted: object): void;
  /** A text in a text, or an element of a list. */
  toContain(wanted: unknown): void;
  toContainEqual(wanted: unknown): void;
  toHaveLength(wanted: number): void;
  toMatch(wanted: RegExp): void;
  toBeGreaterThan(wanted: number): void;
  toBeLessThan(wanted: number): void;
  toBeLessThanOrEqual(wanted: number): void;
  toBeUndefined(): void;
  toBeDefined(): void;
}

export interface Rejection {
  toMatchObject(wanted: object): Promise<void>;
  /** The text is a part of the error's. */
  toThrow(wanted: string): Promise<void>;
}

export interface Expect extends Expectation {
  readonly not: Expectation;
  readonly rejects: Rejection;
  readonly resolves: { toBeUndefined(): Promise<void> };
}

interface Count {
  checks: number;
}

const counts = new AsyncLocalStorage<Count>();

/** Runs it and tells how many expectations it held itself to: a scenario that looked at nothing has proved nothing. */
export async function checksIn(run: () => Promise<void>): Promise<number> {
  const count: Count = { checks: 0 };
  await counts.run(count, run);
  return count.checks;
}

export function expect(actual: unknown): Expect {
  return {
    ...expectation(actual, true),
    not: expectation(actual, false),
    rejects: {
      toMatchObject: async (wanted) => expectation(await rejection(actual), true).toMatchObject(wanted),
      toThrow: async (wanted) => expectation(String(await rejection(actual)), true).toContain(wanted),
    },
    resolves: { toBeUndefined: async () => expectation(await actual, true).toBeUndefined() },
  };
}

/** Stands for any value of a kind, inside of what is wanted. */
class Like {
  readonly holds: (actual: unknown) => boolean;

  constructor(holds: (actual: unknown) => boolean) {
    this.holds = holds;
  }
}

expect.stringMatching = (pattern: RegExp): unknown => new Like((actual) => typeof actual === 'string' && pattern.test(actual));
expect.arrayContaining = (wanted: readonly unknown[]): unknown =>
  new Like((actual) => Array.isArray(actual) && wanted.every((one) => actual.some((each) => alike(each, one, false))));

function expectation(actual: unknown, straight: boolean): Expectation {
  const hold = (held: boolean, verb: string, wanted: unknown) => {
    const count = counts.getStore();
    if (count) count.checks += 1;
    if (held === straight) return;
    const message = `expected ${show(actual)} ${straight ? '' : 'not '}${verb} ${show(wanted)}`;
    throw new AssertionError({ message, actual, expected: wanted });
  };
  const length = () => (actual as { readonly length?: unknown } | undefined)?.length;
  return {
    toBe: (wanted) => hold(Object.is(actual, wanted), 'to be', wanted),
    toEqual: (wanted) => hold(alike(actual, wanted, false), 'to equal', wanted),
    toMatchObject: (wanted) => hold(alike(actual, wanted, true), 'to match', wanted),
    toContain: (wanted) =>
      hold(
        contains(actual, (one) => Object.is(one, wanted), wanted),
        'to contain',
        wanted,
      ),
    toContainEqual: (wanted) =>
      hold(
        contains(actual, (one) => alike(one, wanted, false), wanted),
        'to contain',
        wanted,
      ),
    toHaveLength: (wanted) => hold(length() === wanted, 'to have the length', wanted),
    toMatch: (wanted) => hold(typeof actual === 'string' && wanted.test(actual), 'to match', wanted),
    toBeGreaterThan: (wanted) => hold((actual as number) > wanted, 'to be greater than', wanted),
    toBeLessThan: (wanted) => hold((actual as number) < wanted, 'to be less than', wanted),
    toBeLessThanOrEqual: (wanted) => hold((actual as number) <= wanted, 'to be at most', wanted),
    toBeUndefined: () => hold(actual === undefined, 'to be', undefined),
    toBeDefined: () => hold(actual !== undefined, 'to be anything but', undefined),
  };
}

async function rejection(actual: unknown): Promise<unknown> {
  const promise = typeof actual === 'function' ? (actual as () => unknown)() : actual;
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new AssertionError({ message: `expected a refusal, and it resolved to ${show(value)}` });
}

function contains(actual: unknown, same: (one: unknown) => boolean, wanted: unknown): boolean {
  if (typeof actual === 'string') return typeof wanted === 'string' && actual.includes(wanted);
  if (typeof actual !== 'object' || actual === null || !(Symbol.iterator in actual)) return false;
  return [...(actual as Iterable<unknown>)].some(same);
}

function alike(actual: unknown, wanted: unknown, partly: boolean): boolean {
  if (wanted instanceof Like) return wanted.holds(actual);
  if (Object.is(actual, wanted)) return true;
  if (typeof actual !== 'object' || typeof wanted !== 'object' || actual === null || wanted === null) return false;
  if (Array.isArray(actual) || Array.isArray(wanted)) {
    if (!Array.isArray(actual) || !Array.isArray(wanted) || actual.length !== wanted.length) return false;
    return wanted.every((one, index) => alike(actual[index], one, partly));
  }
  if (actual instanceof Uint8Array || wanted instanceof Uint8Array) {
    return actual instanceof Uint8Array && wanted instanceof Uint8Array && Buffer.compare(actual, wanted) === 0;
  }
  if (isBuiltIn(actual) || isBuiltIn(wanted)) return isDeepStrictEqual(actual, wanted);
  const [of, like] = [actual as Record<string, unknown>, wanted as Record<string, unknown>];
  const keys = partly ? Object.keys(like) : [...new Set([...Object.keys(of), ...Object.keys(like)])];
  return keys.every((key) => alike(of[key], like[key], partly));
}

function isBuiltIn(value: object): boolean {
  return value instanceof Map || value instanceof Set || value instanceof Date || value instanceof RegExp;
}

function show(value: unknown): string {
  const text = inspect(value, { depth: 6, breakLength: Infinity, maxStringLength: 200, maxArrayLength: 20 });
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
