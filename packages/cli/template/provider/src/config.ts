// Loaded only when a config is read: a schema library takes its time.
import { z } from 'errand/zod';

/** Keys of an environment that uses this provider. It has no places and runs no jobs, so there are none. */
export const environmentOptions = z.strictObject({});

/** Keys of an entry under `infra.providers` that uses this provider. */
export const infraOptions = z.strictObject({
  directory: z.string().min(1).optional().describe('where the notes are kept'),
});
