// From a job's spec to a container.
import { createHash } from 'node:crypto';
import { ErrandError } from '@errand/contract';
import type { JobSpec, Resources } from '@errand/contract';
import type { ContainerRequest, EngineInfo } from './client.ts';
import { label, nameOf, ownLabels } from './layout.ts';
import { readOptions } from './options.ts';
import type { Options } from './options.ts';
import { labelsIn } from './place.ts';
import type { Place } from './place.ts';

export interface JobRequest {
  readonly spec: JobSpec;
  readonly key: string;
  readonly place: Place;
  readonly secrets: Readonly<Record<string, string>>;
  readonly starter: string;
  readonly info: EngineInfo;
}

export function containerRequest({ spec, key, place, secrets, starter, info }: JobRequest): ContainerRequest {
  const options = readOptions(spec.options);
  const env = { ...spec.env, ...secrets, ERRAND_JOB: key };
  const timeout = spec.timeout === undefined ? options.profile.timeout : undefined;
  return {
    ...settingsRequest({ place, options, resources: spec.resources }),
    image: spec.image ?? place.image,
    argv: argvOf(spec),
    env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    labels: {
      ...ownLabels(spec.labels),
      ...labelsIn({ ...place, owner: spec.owner, key }, 'job', {
        [label.job]: nameOf(key),
        [label.spec]: digestOf(spec, place.name),
        [label.starter]: starter,
        [label.expires]: String(place.expiresAt),
        [label.grace]: String(spec.grace),
        ...(timeout === undefined ? {} : { [label.timeout]: String(timeout) }),
      }),
    },
    init: info.hasInit,
    logging: logging(info),
  };
}

export function argvOf({ command }: JobSpec): readonly string[] {
  return 'script' in command ? ['/bin/sh', '-c', command.script] : command.argv;
}

/** What a container in this place may do and use, whether it is for one job or for many. */
export function settingsRequest({ place, options, resources }: { place: Place; options: Options; resources: Resources }) {
  const { profile } = options;
  const memory = resources.memory ?? profile.memory;
  const cpus = resources.cpu ?? profile.cpus;
  const user = options.user ?? place.user;
  return {
    mounts: [
      { kind: 'volume', source: place.work, target: place.workdir, readOnly: false, labels: labelsIn(place, 'accident') },
      ...options.mounts.map((mount) => ({ kind: 'bind' as const, ...mount })),
    ],
    workdir: place.workdir,
    network: options.network,
    ...(user === '' ? {} : { user }),
    ...(memory === undefined ? {} : { memory }),
    ...(cpus === undefined ? {} : { cpus }),
    ...(profile.pids === undefined ? {} : { pids: profile.pids }),
    ...profile.settings,
  } satisfies Partial<ContainerRequest>;
}

/**
 * `local` keeps bytes as they are, where Docker's `json-file` replaces those that are no UTF-8; Podman's equal is
 * `k8s-file`. Nothing is rotated away: what was written is there until the job's place is released.
 */
function logging({ logDrivers }: EngineInfo): NonNullable<ContainerRequest['logging']> {
  if (logDrivers.includes('local')) {
    return { driver: 'local', options: { 'max-size': '1000g', 'max-file': '1', compress: 'false' } };
  }
  return { driver: logDrivers.includes('k8s-file') ? 'k8s-file' : 'json-file', options: {} };
}

/** Secrets take part by reference only. */
export function digestOf(spec: JobSpec, place: string): string {
  const { owner, command, env, secretEnv, image, resources, timeout, grace, labels, options } = spec;
  const all = { place, owner, command, env, secretEnv, image, resources, timeout, grace, labels, options };
  return createHash('sha256')
    .update(JSON.stringify(sorted(all)))
    .digest('hex');
}

/** The order in which keys were written does not matter. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const pairs = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(pairs.map(([key, inner]) => [key, sorted(inner)]));
}

/** The kernel ends every argument and variable at its first NUL; running something else than was asked for is worse than refusing. */
export function refuseUnrunnable(spec: JobSpec): void {
  const parts = 'script' in spec.command ? [spec.command.script] : spec.command.argv;
  if (parts.length === 0) throw new ErrandError('usage/invalid', 'refused the command: it is empty');
  const named = Object.entries(spec.env).flat();
  if (![...parts, ...named].some((text) => text.includes('\0'))) return;
  throw new ErrandError(
    'usage/invalid',
    'refused the command: an argument or variable holds a NUL byte, which no program can receive',
    { next: 'Pass such bytes in a file of the workspace.' },
  );
}
