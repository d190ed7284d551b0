// The environment's own keys as a provider call brings them: already validated by `config.ts`, here only read, because
// loading the schema costs more than a job's start may take.
import { ErrandError } from '@errand/contract';
import type { Json } from '@errand/contract';
import { field, list, text } from './answers.ts';
import { defaultProfile, profiles } from './profiles.ts';
import type { Profile, ProfileName } from './profiles.ts';

export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

export interface Options {
  readonly engine: string | undefined;
  readonly profileName: ProfileName;
  readonly profile: Profile;
  readonly workdir: string;
  readonly network: string;
  readonly user: string | undefined;
  readonly mounts: readonly Mount[];
}

export function readOptions(options: Json): Options {
  const profileName = profileOf(text(field(options, 'profile')) || defaultProfile);
  const profile = profiles[profileName];
  return {
    engine: text(field(options, 'engine')) || undefined,
    profileName,
    profile,
    workdir: text(field(options, 'workdir')) || '/workspace',
    network: text(field(options, 'network')) || profile.network,
    user: text(field(options, 'user')) || undefined,
    mounts: list(field(options, 'mounts')).map((mount) => ({
      source: text(field(mount, 'source')),
      target: text(field(mount, 'target')),
      readOnly: field(mount, 'read_only') !== false,
    })),
  };
}

function profileOf(name: string): ProfileName {
  if (Object.hasOwn(profiles, name)) return name as ProfileName;
  throw new ErrandError('config/invalid', `there is no profile ${JSON.stringify(name)}`, {
    next: `Use one of: ${Object.keys(profiles).join(', ')}.`,
  });
}
