// What a job may do and use. The table in README.md says the same; both change together.
import type { ContainerRequest } from './client.ts';

export type ProfileName = 'strict' | 'standard' | 'permissive';
export const profileNames = ['strict', 'standard', 'permissive'] as const satisfies readonly ProfileName[];
export const defaultProfile: ProfileName = 'standard';

export interface Profile {
  readonly network: string;
  readonly memory?: number;
  readonly cpus?: number;
  readonly pids?: number;
  /** Milliseconds, for a job that has no time limit of its own. */
  readonly timeout?: number;
  readonly settings: Pick<
    ContainerRequest,
    'dropCapabilities' | 'addCapabilities' | 'noNewPrivileges' | 'readOnlyRoot' | 'tmpfs'
  >;
}

const small = { memory: 256 * 1024 * 1024, cpus: 0.5, pids: 64, timeout: 5 * 60_000 };

export const profiles: Readonly<Record<ProfileName, Profile>> = {
  strict: {
    network: 'none',
    ...small,
    settings: {
      dropCapabilities: ['ALL'],
      noNewPrivileges: true,
      readOnlyRoot: true,
      tmpfs: { '/tmp': 'rw,noexec,nosuid,nodev,size=64m,mode=1777' },
    },
  },
  standard: {
    network: 'default',
    ...small,
    settings: {
      dropCapabilities: ['NET_ADMIN', 'SYS_ADMIN', 'SYS_PTRACE', 'SETUID', 'SETGID'],
      addCapabilities: ['NET_BIND_SERVICE'],
      noNewPrivileges: true,
    },
  },
  permissive: { network: 'default', settings: {} },
};
