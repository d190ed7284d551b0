import { ErrandError } from '@errand/contract';
import type { CapturedLog, CaptureRequest, LogCapture } from '@errand/contract';
import { engineError } from '../errors.ts';
import { readFrames } from '../frames.ts';
import type { ResourceEngine, ServiceContainer } from './client.ts';
import { idOf } from './layout.ts';
import { containersOf } from './look.ts';
import type { Place } from './workload-driver.ts';

/** What the containers of a resource write; each piece says which of them. `component` names one of them. */
export function logCapture({ engine: open, scope }: Place): LogCapture {
  return {
    async *capture(request, ask) {
      const engine = open();
      const { type, name, providerId } = request.resource;
      const until =
        request.duration === undefined ? ask.signal : AbortSignal.any([ask.signal, AbortSignal.timeout(request.duration)]);
      try {
        const all = await containersOf(engine, type, providerId ?? idOf(scope, name), ask.signal);
        const chosen = all.filter((one) => request.component === undefined || one.name === request.component);
        if (chosen.length === 0) throw nothing(request, all);
        yield* merged(chosen.map((one) => linesOf(engine, one, request, until)));
      } catch (error) {
        ask.signal.throwIfAborted();
        // The time that was asked for is over.
        if (until.aborted) return;
        throw engineError(engine.address, `tried to read the log of ${name}`, error);
      }
    },
  };
}

async function* linesOf(
  engine: ResourceEngine,
  { id, name }: ServiceContainer,
  request: CaptureRequest,
  signal: AbortSignal,
): AsyncGenerator<CapturedLog> {
  const { tailLines, follow } = request;
  if (tailLines !== undefined) {
    const before: CapturedLog[] = [];
    for await (const one of framesOf(engine, id, name, false, signal)) before.push(one);
    yield* tailLines === 0 ? [] : before.slice(-tailLines);
    if (!follow) return;
    let seen = 0;
    for await (const one of framesOf(engine, id, name, true, signal)) if (++seen > before.length) yield one;
    return;
  }
  yield* framesOf(engine, id, name, follow, signal);
}

async function* framesOf(
  engine: ResourceEngine,
  id: string,
  source: string,
  follow: boolean,
  signal: AbortSignal,
): AsyncGenerator<CapturedLog> {
  for await (const frames of readFrames(engine.logs(id, { follow, stdout: true, stderr: true }, signal))) {
    for (const { bytes } of frames) yield { bytes, source };
  }
}

/** As it comes, whichever it comes from. */
async function* merged<T>(sources: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const ask = (source: AsyncGenerator<T>) => source.next().then((result) => ({ source, result }));
  const waiting = new Map(sources.map((source) => [source, ask(source)]));
  try {
    while (waiting.size > 0) {
      const { source, result } = await Promise.race(waiting.values());
      if (result.done === true) waiting.delete(source);
      else {
        waiting.set(source, ask(source));
        yield result.value;
      }
    }
  } finally {
    // Whoever is still in the middle of a read ends with the signal.
    for (const [source, reading] of waiting) void reading.then(() => source.return(undefined)).catch(() => undefined);
  }
}

function nothing({ resource, component }: CaptureRequest, all: readonly ServiceContainer[]): ErrandError {
  const what = component === undefined ? `${resource.type} ${resource.name} has no container` : `there is no ${component}`;
  const next = all.length === 0 ? 'Apply, and try again.' : `There are: ${all.map((one) => one.name).join(', ')}.`;
  return new ErrandError('provider/not-found', `tried to read the log of ${resource.name}: ${what}`, { next });
}
