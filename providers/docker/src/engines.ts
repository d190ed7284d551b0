// Which engines were ever asked for anything. A job or place whose handle was never heard of is looked for on all of
// them, so an engine is written down before the first call that makes something on it.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultAddress } from './address.ts';
import { createKeptOnce } from './kept-once.ts';
import type { KeptOnce } from './kept-once.ts';
import type { Engine, EngineInfo, ImageInfo } from './client.ts';
import type { KnownInfo } from './known-info.ts';
import type { Place } from './place.ts';
import { openEngine } from './sdk.ts';
import { createLines } from './standing/lines.ts';
import type { Lines } from './standing/lines.ts';

/** How long an early question about an image may take, and its answer be used. */
export const imagePatience = 5_000;

export interface Engines extends Disposable {
  /** The provider's private directory on this machine. */
  readonly home: string;
  /** The default one when no address is given. */
  at(address: string | undefined): Engine;
  /** To be called before something is made there. */
  remember(engine: Engine): void;
  known(): readonly Engine[];
  /** Lines to standing containers, as long as this is open. */
  readonly lines: Lines;
  /** Answers about images, by name, that were asked for before anybody needed them. One may go meanwhile: the engine says so then. */
  readonly images: KeptOnce<Promise<ImageInfo | undefined>>;
  /**
   * Places as this process acquired them. Good enough to make a job's container with: before that is started, the place is
   * looked at once more.
   */
  readonly fresh: KeptOnce<Place>;
  /** Asked once for each opening, or less. */
  info(engine: Engine, signal: AbortSignal): Promise<EngineInfo>;
}

export function createEngines(home: string, open: (address: string) => Engine = openEngine, keptInfo?: KnownInfo): Engines {
  const opened = new Map<string, Engine>();
  const written = new Set<string>();
  const infos = new Map<string, EngineInfo>();
  const lines = createLines();
  const dir = join(home, 'engines');

  function at(given: string | undefined): Engine {
    const address = given ?? defaultAddress();
    const engine = opened.get(address) ?? open(address);
    opened.set(address, engine);
    return engine;
  }

  return {
    home,
    at,
    lines,
    images: createKeptOnce(imagePatience),
    fresh: createKeptOnce(2_000),
    remember({ address }) {
      if (written.has(address)) return;
      const file = join(dir, createHash('sha256').update(address).digest('hex').slice(0, 16));
      if (!addressesIn(dir).includes(address)) {
        mkdirSync(dir, { recursive: true, mode: 0o700 });
        writeFileSync(file, address, { mode: 0o600 });
      }
      written.add(address);
    },
    known: () => addressesIn(dir).map(at),
    async info(engine, signal) {
      const { address } = engine;
      const known = infos.get(address) ?? keptInfo?.get(address);
      const info = known ?? (await engine.info(signal));
      if (!known) keptInfo?.set(address, info);
      infos.set(address, info);
      return info;
    },
    [Symbol.dispose]() {
      lines[Symbol.dispose]();
      for (const engine of opened.values()) engine.close();
    },
  };
}

/** What `work` gives for each known engine. One that fails does not hide the others; its error comes last. */
export async function* onEach<T>(engines: Engines, work: (engine: Engine) => AsyncIterable<T>): AsyncGenerator<T> {
  let trouble: Error | undefined;
  for (const engine of engines.known()) {
    try {
      yield* work(engine);
    } catch (error) {
      trouble ??= error instanceof Error ? error : new Error(String(error));
    }
  }
  if (trouble) throw trouble;
}

function addressesIn(dir: string): string[] {
  let names: string[];
  try {
    names = readdirSync(dir);
  } catch {
    return [];
  }
  // One that is empty was being written when the machine lost power: then nothing was made there yet.
  return names.map((name) => readFileSync(join(dir, name), 'utf8')).filter((address) => address !== '');
}
