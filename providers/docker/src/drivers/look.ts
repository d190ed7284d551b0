import type { ServiceContainer, ResourceEngine } from './client.ts';
import { markOf, resourceLabel } from './layout.ts';
import type { WorkloadType } from './workload.ts';
import type { Labels, Volume } from '../client.ts';

/** What an engine has of a resource. */
export interface Found {
  readonly containers: readonly ServiceContainer[];
  readonly data?: Volume;
  /** Of the volume that tells whether it is there, else of a container. */
  readonly labels: Labels;
}

export const dataOf = (id: string) => `${id}.data`;

/** Undefined when it is not there. */
export async function look(
  engine: ResourceEngine,
  of: WorkloadType,
  id: string,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const [containers, data] = await Promise.all([
    containersOf(engine, of.type, id, signal),
    of.data === undefined ? undefined : engine.volume(dataOf(id), signal),
  ]);
  const ours = data?.labels[resourceLabel.id] === id ? data : undefined;
  const labels = of.data === undefined ? containers[0]?.labels : ours?.labels;
  return labels === undefined ? undefined : { containers, labels, ...(ours ? { data: ours } : {}) };
}

/** By number; one that is about to take a place comes after the one that has it. */
export async function containersOf(
  engine: ResourceEngine,
  type: string,
  id: string,
  signal: AbortSignal,
): Promise<readonly ServiceContainer[]> {
  const listed = await engine.containers(markOf(type, id), signal);
  const seen = await Promise.all(listed.map((one) => engine.service(one.id, signal)));
  return seen
    .filter((one): one is ServiceContainer => one !== undefined && one.status !== 'removing')
    .toSorted((a, b) => numberOf(id, a.name) - numberOf(id, b.name) || (a.name < b.name ? -1 : 1));
}

export const instanceName = (id: string, number: number) => `${id}-${number}`;
export const nextName = (name: string) => `${name}.next`;
export const numberOf = (id: string, name: string) => Number.parseInt(name.slice(id.length + 1), 10) || 0;
