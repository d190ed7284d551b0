// What the fake platform holds. In memory, or one file per resource in a directory, so that a killed process leaves what
// it made. Several processes may use one directory: nothing is cached, and a name is taken by an exclusive link.
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attributes } from '@errand/contract';

export interface Thing {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  /** Of the call that made it. */
  readonly key: string;
  readonly epoch: number;
  readonly config: Attributes;
  /** SHA-256 of each secret that was asked for, by its reference. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly owner: string;
  /** False when its maker never finished it. */
  readonly ready: boolean;
  /** Grows with every update. */
  readonly version: number;
}

export interface Shelf {
  /** The last one made where names may repeat. */
  find(type: string, name: string): Thing | undefined;
  byId(id: string): Thing | undefined;
  /** False when the name is taken and must not be. */
  add(thing: Thing, nameMayRepeat: boolean): boolean;
  save(thing: Thing): void;
  remove(thing: Thing): void;
  all(): readonly Thing[];
}

export function memoryShelf(): Shelf {
  const byId = new Map<string, Thing>();
  const byName = new Map<string, string[]>();
  const nameOf = ({ type, name }: Pick<Thing, 'type' | 'name'>) => `${type}\0${name}`;
  const idsOf = (thing: Pick<Thing, 'type' | 'name'>) => byName.get(nameOf(thing)) ?? [];
  return {
    find: (type, name) => byId.get(idsOf({ type, name }).at(-1) ?? ''),
    byId: (id) => byId.get(id),
    add(thing, nameMayRepeat) {
      const ids = idsOf(thing);
      if (byId.has(thing.id) || (ids.length > 0 && !nameMayRepeat)) return false;
      byId.set(thing.id, thing);
      byName.set(nameOf(thing), [...ids, thing.id]);
      return true;
    },
    save: (thing) => void byId.set(thing.id, thing),
    remove(thing) {
      byId.delete(thing.id);
      const left = idsOf(thing).filter((id) => id !== thing.id);
      if (left.length > 0) byName.set(nameOf(thing), left);
      else byName.delete(nameOf(thing));
    },
    all: () => [...byId.values()],
  };
}

export function directoryShelf(directory: string): Shelf {
  const home = join(directory, 'things');
  mkdirSync(home, { recursive: true });
  const files = new Map<string, string>();
  let count = 0;

  const stem = (type: string, name: string) => `${encodeURIComponent(type)}~${encodeURIComponent(name)}`;
  const fileOf = ({ id, type, name }: Thing) => files.get(id) ?? `${stem(type, name)}.json`;

  function read(file: string): Thing | undefined {
    try {
      const thing = JSON.parse(readFileSync(join(home, file), 'utf8')) as Thing;
      files.set(thing.id, file);
      return thing;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  function temporary(thing: Thing): string {
    const path = join(directory, `.${process.pid}-${++count}`);
    writeFileSync(path, JSON.stringify(thing));
    return path;
  }

  const list = () => readdirSync(home).toSorted();

  return {
    find(type, name) {
      const only = read(`${stem(type, name)}.json`);
      if (only) return only;
      const repeated = list().filter((file) => file.startsWith(`${stem(type, name)}~`));
      return repeated.length === 0 ? undefined : read(repeated.at(-1) ?? '');
    },
    byId(id) {
      const known = files.get(id);
      const thing = known === undefined ? undefined : read(known);
      if (thing?.id === id) return thing;
      return list()
        .map(read)
        .find((one) => one?.id === id);
    },
    add(thing, nameMayRepeat) {
      const file = `${stem(thing.type, thing.name)}${nameMayRepeat ? `~${thing.id}` : ''}.json`;
      const made = temporary(thing);
      try {
        linkSync(made, join(home, file));
        files.set(thing.id, file);
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
        throw error;
      } finally {
        rmSync(made, { force: true });
      }
    },
    save: (thing) => renameSync(temporary(thing), join(home, fileOf(thing))),
    remove: (thing) => rmSync(join(home, fileOf(thing)), { force: true }),
    all: () => list().flatMap((file) => read(file) ?? []),
  };
}
