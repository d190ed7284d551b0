import { EngineFailure } from '../client.ts';
import type { Engine } from '../client.ts';
import { createLine } from './line.ts';
import type { Line } from './line.ts';

export const shimPath = '/.errand/shim';
/** Connecting is the engine's work and quick; longer than this it is stuck. */
const connecting = 20_000;

/** Lines to standing containers, one or two for each, kept as long as they hold. */
export interface Lines extends Disposable {
  /**
   * Attaching costs a fraction of executing a program, so the shared line is the first choice. `own`: for what does not
   * fit through that. A container whose shared line once stayed silent gets only lines of its own.
   */
  to(engine: Engine, target: Target, how: 'any' | 'own', signal: AbortSignal): Promise<Line>;
  /** The container that a line to this place was opened to, as long as that line holds. */
  known(engine: Engine, place: string): Target | undefined;
}

export interface Target {
  readonly place: string;
  /** The container's id, and the workspace that it has. */
  readonly id: string;
  readonly work: string;
}

export function createLines(): Lines {
  const open = new Map<string, Promise<Line>>();
  const places = new Map<string, Target>();
  const mute = new Set<string>();

  async function connect(engine: Engine, id: string, shared: boolean): Promise<Line> {
    const signal = AbortSignal.timeout(connecting);
    const connection = await (shared ? engine.attach(id, signal) : engine.execute(id, [shimPath, 'talk'], signal));
    return createLine(connection, shared);
  }

  function opened(engine: Engine, target: Target, shared: boolean): Promise<Line> {
    const { place, id } = target;
    const key = `${id} ${shared}`;
    const there = open.get(key);
    if (there) return there;
    const line = connect(engine, id, shared);
    const where = `${engine.address} ${place}`;
    open.set(key, line);
    const gone = () => {
      if (open.get(key) === line) open.delete(key);
      if (places.get(where)?.id === id) places.delete(where);
    };
    line.then((one) => {
      places.set(where, target);
      one.over.addEventListener('abort', () => {
        gone();
        if (shared && one.over.reason instanceof EngineFailure && one.over.reason.code === 'ETIMEDOUT') mute.add(id);
      });
    }, gone);
    return line;
  }

  return {
    async to(engine, target, how, signal) {
      const line = opened(engine, target, how === 'any' && !mute.has(target.id));
      return orAborted(line, signal);
    },
    known: (engine, place) => places.get(`${engine.address} ${place}`),
    [Symbol.dispose]() {
      for (const line of open.values())
        line.then(
          (one) => one.close(),
          () => undefined,
        );
    },
  };
}

/** The line is for others too, so a caller that gives up leaves it as it is. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const giveUp = () => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', giveUp);
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
