import { z } from 'zod';

const local = z.string().regex(/^(\/|~\/)./, 'must be an absolute path, or one that begins with ~/');
const fingerprint = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}=?$/, 'must be a fingerprint like SHA256:…, as `ssh-keygen -lf` shows it');
const oneOrMore = <T extends z.ZodType>(schema: T) => z.union([schema, z.array(schema).min(1)]);

const hop = {
  host: z
    .string()
    .regex(/^[A-Za-z0-9_.:%-]+$/, 'must be a host name or an address')
    .describe('The machine.'),
  port: z.int().min(1).max(65_535).optional().describe('Default: 22.'),
  user: z.string().min(1).optional().describe('Default: the user who runs Errand.'),
  identity: local.optional().describe('A private key. Default: what the agent has, then ~/.ssh/id_ed25519, id_ecdsa and id_rsa.'),
  passphrase: z
    .strictObject({ secret: z.string().regex(/^secret:\/\//, 'must be a reference like secret://env/NAME') })
    .optional()
    .describe('Of the private key.'),
  agent: local.optional().describe('The socket of an ssh-agent. Default: SSH_AUTH_SOCK.'),
  host_key: oneOrMore(fingerprint).optional().describe('The only host keys that are accepted. Default: those of known_hosts.'),
  known_hosts: local.optional().describe('Default: ~/.ssh/known_hosts.'),
};

/** The keys that an environment of this provider may carry. Host keys are always checked. */
export const optionsSchema = z.strictObject({
  ...hop,
  jump: oneOrMore(z.strictObject(hop)).optional().describe('Machines to go through, the first one first.'),
  root: z
    .string()
    .regex(/^[A-Za-z0-9._/@+][A-Za-z0-9._/@+-]*$/, 'must be a path of letters, digits and . _ / @ + -')
    .optional()
    .describe('The directory on the machine that Errand works in. Relative to the login directory. Default: .errand.'),
  connections: z.int().min(1).max(32).optional().describe('At most so many connections at once. Default: 4.'),
  keepalive: z
    .int()
    .min(1)
    .max(3_600)
    .optional()
    .describe('Seconds between signs of life; three without answer end a connection. Default: 10.'),
});
