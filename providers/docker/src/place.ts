// A place as its volumes tell it (see layout.ts).
import { randomBytes } from 'node:crypto';
import { ErrandError } from '@errand/contract';
import type { Engine, Labels, Volume } from './client.ts';
import { trying } from './errors.ts';
import { label } from './layout.ts';
import type { Role } from './layout.ts';

export interface Place {
  readonly name: string;
  readonly owner: string;
  readonly key: string;
  readonly epoch: number;
  readonly expiresAt: number;
  readonly image: string;
  readonly workdir: string;
  readonly user: string;
  /** Empty when every job has a container of its own. */
  readonly settings: string;
  /** Files can only come in by way of another volume. */
  readonly fixed: boolean;
  /** The volume with the files. */
  readonly work: string;
  /** Changes when the place was released and made anew under the same key. */
  readonly made: string;
  /** False when only leftovers of it are there. */
  readonly standing: boolean;
  /** Jobs that somebody wants ended, with what was said to them. */
  readonly stops: ReadonlyMap<string, ReadonlySet<string>>;
  readonly volumes: readonly Volume[];
}

export async function readPlace(engine: Engine, name: string, signal: AbortSignal): Promise<Place | undefined> {
  const volumes = await trying(engine, `tried to look at the place ${name}`, () =>
    engine.volumes({ [label.place]: name }, signal),
  );
  return placeFrom(name, volumes);
}

/** Undefined when nothing is there, not even leftovers. */
export function placeFrom(name: string, volumes: readonly Volume[]): Place | undefined {
  const [any] = volumes;
  if (!any) return undefined;
  const having = (role: Role) => volumes.filter((volume) => volume.labels[label.role] === role);
  const record = having('place').find((volume) => volume.name === name);
  const of = (key: string) => (record ?? any).labels[key] ?? '';
  const highest = (role: Role, first: string) => Math.max(Number(first) || 0, ...having(role).map(valueOf));
  const current = having('current').toSorted((a, b) => valueOf(b) - valueOf(a))[0];
  const work = current?.labels[label.work] ?? name;
  const stops = new Map<string, Set<string>>();
  for (const { labels } of having('stop')) {
    const job = labels[label.job] ?? '';
    stops.set(job, (stops.get(job) ?? new Set()).add(labels[label.value] ?? ''));
  }
  return {
    name,
    owner: of(label.owner),
    key: of(label.key),
    epoch: highest('epoch', of(label.epoch)),
    expiresAt: highest('expires', of(label.expires)),
    image: of(label.image),
    workdir: of(label.workdir),
    user: of(label.user),
    settings: of(label.settings),
    fixed: of(label.fixed) !== '',
    work,
    made: of(label.made),
    // A workspace that the engine made up for a late job is an accident, not a place.
    standing: record !== undefined && volumes.some((volume) => volume.name === work && volume.labels[label.role] !== 'accident'),
    stops,
    volumes,
  };
}

const valueOf = (volume: Volume) => Number(volume.labels[label.value]) || 0;

/** Throws `provider/not-found` when it is gone. */
export async function standingPlace(engine: Engine, name: string, signal: AbortSignal): Promise<Place> {
  const place = await readPlace(engine, name, signal);
  if (place?.standing) return place;
  throw new ErrandError('provider/not-found', `tried to use the place ${name}: it is gone`, { next: 'Acquire a new place.' });
}

/** Throws `provider/fenced` for an old holder; a new one's epoch becomes the fence. True when it rose. */
export async function passFence(engine: Engine, place: Place, epoch: number, signal: AbortSignal): Promise<boolean> {
  if (epoch < place.epoch) {
    throw new ErrandError(
      'provider/fenced',
      `refused a call of holder ${epoch} to the place ${place.key}: holder ${place.epoch} has it now`,
      { next: 'Another Errand process has taken over; let it go on.' },
    );
  }
  if (epoch > place.epoch) await raise(engine, place, 'epoch', epoch, signal);
  return epoch > place.epoch;
}

export async function extendPlace(engine: Engine, place: Place, expiresAt: number, signal: AbortSignal): Promise<void> {
  if (expiresAt > place.expiresAt) await raise(engine, place, 'expires', Math.ceil(expiresAt), signal);
}

/** Labels of something that belongs to the place and goes with it. */
export function labelsIn(place: Pick<Place, 'name' | 'owner' | 'key'>, role: Role, more: Labels = {}): Labels {
  return {
    [label.owner]: place.owner,
    [label.key]: place.key,
    [label.place]: place.name,
    [label.role]: role,
    [label.made]: newTag(),
    ...more,
  };
}

export const newTag = () => randomBytes(8).toString('hex');

async function raise(engine: Engine, place: Place, role: 'epoch' | 'expires', to: number, signal: AbortSignal): Promise<void> {
  await trying(engine, `tried to raise the ${role} of the place ${place.key} to ${to}`, async () => {
    await engine.createVolume(`${place.name}.${role}-${to}`, labelsIn(place, role, { [label.value]: String(to) }), signal);
    const lower = place.volumes.filter((volume) => volume.labels[label.role] === role && valueOf(volume) < to);
    await Promise.all(lower.map((volume) => engine.removeVolume(volume.name, signal)));
  });
}

/**
 * Makes `work` the place's workspace. Of two who try at the same time each gets a number of its own, and the later one's
 * workspace stands, as if they had come one after the other.
 */
export async function makeCurrent(engine: Engine, place: Place, work: string, signal: AbortSignal): Promise<void> {
  const numbers = place.volumes.filter((volume) => volume.labels[label.role] === 'current').map(valueOf);
  for (let number = Math.max(0, ...numbers) + 1; ; number++) {
    const labels = labelsIn(place, 'current', { [label.value]: String(number), [label.work]: work });
    const made = await engine.createVolume(`${place.name}.current-${number}`, labels, signal);
    if (made.labels[label.made] === labels[label.made]) return;
  }
}
