import type { LogStore } from '@errand/core';
import type { Tracer } from './tracer.ts';

export function traceLogs(logs: LogStore, tracer: Tracer): LogStore {
  return {
    tail: (run, epoch) => tracer.read('logs.tail', () => logs.tail(run, epoch)),
    async writer(run, epoch) {
      const writer = await tracer.step('logs.writer', () => logs.writer(run, epoch));
      return {
        append: (...chunk) => tracer.step('logs.append', () => writer.append(...chunk)),
        [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
      };
    },
    read: (run, view, since, stream) => logs.read(run, view, since, stream),
    watch: (run, listener) => logs.watch(run, listener),
  };
}
