import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { isNear, parseAddress } from './address.ts';

const reference = z.string().regex(/^secret:\/\/[^/]+\/./, 'expected a reference such as secret://file/agent-token');

/** The keys that an environment of this provider may carry. Paths are meant from where they were written. */
export function optionsSchema(directory = process.cwd()) {
  const path = z
    .string()
    .min(1)
    .transform((given) => (given.startsWith('~/') ? join(homedir(), given.slice(2)) : resolve(directory, given)));
  const tls = z
    .strictObject({
      ca: path.optional().describe('The CA that signed the agent’s certificate. Default: those of the system.'),
      cert: path.optional().describe('Shown to the agent, where it wants to see one.'),
      key: path.optional(),
      server_name: z.string().min(1).optional().describe('The name in the agent’s certificate, where it is not the address.'),
    })
    .refine(({ cert, key }) => (cert === undefined) === (key === undefined), 'cert and key go together');
  return z
    .strictObject({
      address: z
        .string()
        .refine((text) => parseAddress(text) !== undefined, 'must be HOST:PORT or unix:/PATH')
        .describe('Where the agent listens.'),
      token: z.strictObject({ secret: reference }).optional().describe('The token that the agent wants.'),
      tls: z
        .union([z.literal(false), tls])
        .optional()
        .describe('false: without TLS, on this machine only.'),
      protocol: z
        .enum(['errand', 'sandbox'])
        .optional()
        .describe('sandbox: an agent that knows only SandboxExecService. Default: found out.'),
      profile: z.string().min(1).optional().describe('What a job may do there; the agent says which ones it allows.'),
      options: z.record(z.string(), z.unknown()).optional().describe('Keys of the provider that the agent stands on.'),
    })
    .refine(({ address, tls: chosen }) => chosen !== false || isNear(address), {
      path: ['tls'],
      message: 'without TLS only an agent on this machine can be used',
    });
}
