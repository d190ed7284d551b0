// What a standing container is made of. A job runs inside it only when it wants exactly that.
import { createHash } from 'node:crypto';
import type { Json, Resources } from '@errand/contract';
import type { EngineInfo } from '../client.ts';
import { sorted } from '../request.ts';
import type { shimPrograms } from './shim-programs.ts';

export interface Wanted {
  readonly image?: string;
  readonly options: Json;
  readonly resources: Resources;
}

export function settingsOf({ image, options, resources }: Wanted): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted({ image, options, resources })))
    .digest('hex');
}

type Machine = keyof typeof shimPrograms;

const machines: Readonly<Record<string, Machine>> = { x86_64: 'amd64', amd64: 'amd64', aarch64: 'arm64', arm64: 'arm64' };

/** Undefined on a machine that we have no shim for: then every job gets a container of its own. */
export function machineOf(info: EngineInfo): Machine | undefined {
  return info.os === 'linux' ? machines[info.machine] : undefined;
}

/**
 * Podman gives halves of lines when it reads its logs while they are written, keeps no record of a program that it could
 * not start, and does not tell every end for lack of memory. The shim does all of that right, so there each place is a
 * standing one.
 */
export function isAlwaysStanding({ logDrivers }: EngineInfo): boolean {
  return logDrivers.includes('k8s-file') && !logDrivers.includes('local');
}
