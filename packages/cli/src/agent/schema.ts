// The shape of the agent's own file. Loads zod, so only `settings.ts` imports it, and only when a file was named.
import { ErrandError } from '@errand/contract';
import { parseDuration, parseSize } from '@errand/core';
import * as z from 'zod';
import { machineNames } from './machine.ts';

function amount(read: (text: string) => number, description: string) {
  return z
    .string()
    .meta({ description })
    .transform((text, context) => {
      try {
        const value = read(text);
        if (value > 0) return value;
        context.addIssue({ code: 'custom', message: 'it must be more than 0' });
      } catch (error) {
        const hint = error instanceof ErrandError ? error.next : undefined;
        context.addIssue({ code: 'custom', message: (error as Error).message, ...(hint !== undefined && { params: { hint } }) });
      }
      return z.NEVER;
    });
}

const texts = (description: string) => z.array(z.string().min(1)).meta({ description }).optional();
const absolute = z.string().regex(/^\/./, 'must be an absolute path other than /');

export const agentFile = z.strictObject({
  listen: z.string().meta({ description: 'HOST:PORT or unix:/PATH.' }).optional(),
  tokens: z
    .union([z.string().min(1), z.literal(false)], { error: 'expected the path of a token file, or false' })
    .meta({ description: 'One token per line. false: every user of this machine may come in.' })
    .optional(),
  tls: z
    .strictObject({
      cert: z.string().min(1),
      key: z.string().min(1),
      client_ca: z.string().min(1).meta({ description: 'Clients must show a certificate that it has signed.' }).optional(),
    })
    .optional(),
  provider: z.enum(machineNames).meta({ description: 'What runs the jobs. Default: local.' }).optional(),
  secrets: z
    .strictObject({
      directory: z.string().min(1).meta({ description: 'One file per secret, readable by the agent’s user only.' }),
      allow: z.array(z.string().min(1)).meta({ description: 'Names or patterns that a job may ask for.' }),
    })
    .meta({ description: 'Secrets of the agent itself.' })
    .optional(),
  policy: z
    .strictObject({
      images: texts('Patterns; * does not cross a slash, ** does. Default: any image.'),
      profiles: z.array(z.string().min(1)).min(1).meta({ description: 'The first is used when a client names none.' }).optional(),
      networks: texts('Networks that a client may choose beside none and its profile’s.'),
      mounts: z.array(absolute).meta({ description: 'Directories of this machine that a client may mount.' }).optional(),
      concurrency: z.int().positive().meta({ description: 'Jobs at once.' }).optional(),
      limits: z
        .strictObject({
          timeout: amount((text) => parseDuration(text), 'The longest a job may run.').optional(),
          memory: z.union([z.int().positive(), amount((text) => parseSize(text), 'The most memory of a job.')]).optional(),
          cpu: z.number().positive().meta({ description: 'The most cores of a job.' }).optional(),
        })
        .meta({ description: 'More is refused; a job that names no limit gets this one.' })
        .optional(),
    })
    .optional(),
});

export type AgentFile = z.output<typeof agentFile>;
