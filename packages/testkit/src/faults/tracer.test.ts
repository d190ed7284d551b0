import { expect, test } from 'vitest';
import { createTracer } from './tracer.ts';

test('steps are numbered over all that is traced, before and after, failures too', async () => {
  const seen: string[] = [];
  const tracer = createTracer((phase, name, n) => void seen.push(`${phase} ${name} ${n}`));
  await tracer.step('one', async () => 1);
  await expect(tracer.step('two', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await tracer.read('unseen', async () => 3);
  expect(seen).toEqual(['before one 1', 'after one 1', 'before two 2', 'after two 2']);
  expect(tracer.count()).toBe(2);
});

test('each item of a stream is a step, and leaving it early closes the source', async () => {
  const seen: string[] = [];
  let closed = false;
  async function* source() {
    try {
      yield 1;
      yield 2;
      yield 3;
    } finally {
      closed = true;
    }
  }
  const tracer = createTracer((phase, name, n) => void (phase === 'after' && seen.push(`${name} ${n}`)));
  for await (const item of tracer.stream('item', source)) if (item === 2) break;
  expect(seen).toEqual(['item 1', 'item 2']);
  expect(closed).toBe(true);
});

test('a step that never comes back from its hook has no effect', async () => {
  let effect = false;
  const tracer = createTracer((phase) => (phase === 'before' ? new Promise(() => {}) : undefined));
  void tracer.step('never', async () => void (effect = true));
  await new Promise((resolve) => setImmediate(resolve));
  expect(effect).toBe(false);
});
