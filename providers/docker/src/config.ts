import { z } from 'zod';
import { addressForm } from './address.ts';
import { profileNames } from './profiles.ts';

const absolute = z.string().regex(/^\/./, 'must be an absolute path other than /');

/** The keys that an environment of this provider may carry. */
export const optionsSchema = z
  .strictObject({
    engine: z
      .string()
      .regex(addressForm, 'must be unix:///path/to/docker.sock, tcp://host:port or https://host:port')
      .optional()
      .describe('Where the engine is. Default: DOCKER_HOST, else the usual sockets of Docker and Podman.'),
    profile: z
      .enum(profileNames)
      .optional()
      .describe('What a job may do and use; see the table in the provider’s README. Default: standard.'),
    workdir: absolute.optional().describe('Where the workspace is mounted, and where commands run. Default: /workspace.'),
    network: z
      .string()
      .min(1)
      .optional()
      .describe('default, none, host or the name of a network of the engine. Default: the engine’s own choice; strict: none.'),
    user: z.string().min(1).optional().describe('User or uid, with or without :group. Default: the image’s.'),
    mounts: z
      .array(
        z.strictObject({
          source: absolute.describe('A path on the engine’s machine.'),
          target: absolute.describe('A path in the container.'),
          read_only: z.boolean().optional().describe('Default: true.'),
        }),
      )
      .optional()
      .describe('Directories of the engine’s machine that a job sees.'),
  })
  .refine((options) => options.profile !== 'strict' || options.network === undefined || options.network === 'none', {
    path: ['network'],
    message: 'the profile strict has no network; choose another profile',
  });
