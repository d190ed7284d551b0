// The providers that an agent can stand on, and what a profile means for each.
import { availableParallelism } from 'node:os';
import type { Json, ProviderDefinition } from '@errand/contract';
import { dockerProvider, profiles as dockerProfiles } from '@errand/provider-docker';
import { localProvider } from '@errand/provider-local';
import type { Limits } from './policy.ts';

export const machineNames = ['local', 'docker'] as const;
export type MachineName = (typeof machineNames)[number];

export interface Profile {
  /** The provider's own keys that make it up; a client cannot set them otherwise. */
  readonly options: Readonly<Record<string, Json>>;
  /** What a job gets that names no limits. */
  readonly limits: Limits;
}

export interface Machine {
  readonly definition: ProviderDefinition;
  readonly profiles: Readonly<Record<string, Profile>>;
  /** Unless the policy names others. */
  readonly usual: readonly string[];
  /** Keys that a client may set as it likes. `network` and `mounts` are matters of the policy. */
  readonly free: readonly string[];
}

const fromDocker = (name: keyof typeof dockerProfiles): Profile => {
  const { memory, cpus, timeout } = dockerProfiles[name];
  return {
    options: { profile: name },
    limits: {
      ...(memory !== undefined && { memory }),
      ...(cpus !== undefined && { cpu: cpus }),
      ...(timeout !== undefined && { timeout }),
    },
  };
};

export const machines: Readonly<Record<MachineName, Machine>> = {
  local: {
    definition: localProvider,
    profiles: {
      permissive: { options: { sandbox: 'none' }, limits: {} },
      strict: { options: { sandbox: 'strict' }, limits: {} },
    },
    usual: ['permissive', 'strict'],
    free: [],
  },
  docker: {
    definition: dockerProvider,
    profiles: { strict: fromDocker('strict'), standard: fromDocker('standard'), permissive: fromDocker('permissive') },
    usual: ['standard', 'strict'],
    free: ['workdir', 'user'],
  },
};

export const usualConcurrency = Math.max(4, 2 * availableParallelism());
