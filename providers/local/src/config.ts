import { z } from 'zod';

/** The keys that an environment of this provider may carry. */
export const optionsSchema = z.strictObject({
  sandbox: z
    .enum(['none', 'strict'])
    .optional()
    .describe('strict: read-only root, private /tmp, no network, no new privileges (needs bubblewrap). Default: none.'),
});
