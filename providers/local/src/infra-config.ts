import { resolve } from 'node:path';
import { z } from 'zod';

/** The keys of an entry under `infra.providers` that uses this provider. */
export const infraSchema = (directory: string = process.cwd()) =>
  z.strictObject({
    root: z
      .string()
      .min(1)
      .default('.')
      .transform((path) => resolve(directory, path))
      .describe('Paths of resources are relative to this directory. Default: that of the config file.'),
  });
