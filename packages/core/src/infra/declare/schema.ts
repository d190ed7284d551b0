// The shape of the `infra` section. Loads zod, so only `read-stack.ts` and the JSON Schema import it, and only when asked.
import * as z from 'zod';

export const sizeSchema = z.enum(['xs', 's', 'm', 'l', 'xl']).meta({ description: 'How big, the same word on every provider.' });

const amount = z.union([z.string().min(1), z.number()], { error: 'expected text or a number' }).transform(String);
export const hintsSchema = z
  .strictObject({ cpu: amount.optional(), memory: amount.optional(), storage: amount.optional() })
  .meta({ description: 'Wishes beside the size, such as cpu: 2, memory: 4Gi, storage: 100Gi.' });

const names = z.union([z.string().transform((one) => [one]), z.array(z.string())], { error: 'expected names of resources' });

export const resourceShape = z.strictObject({
  type: z.string().min(1).meta({ description: 'What it is, such as infra.database; the provider says which types it has.' }),
  provider: z.string().meta({ description: 'One of infra.providers; may be left out when there is only one.' }).optional(),
  config: z
    .record(z.string(), z.unknown())
    .meta({ description: 'Keys of the type. ${name.field} refers to an output of another resource, ${env:X} to a variable.' })
    .optional(),
  size: sizeSchema.optional(),
  hints: hintsSchema.optional(),
  depends_on: names.meta({ description: 'Resources that come first; references count without being named here.' }).optional(),
  protected: z.boolean().meta({ description: 'Replacing or deleting it needs --allow.' }).optional(),
  adopt: z.boolean().meta({ description: 'Take over what is there already under this name.' }).optional(),
  lifecycle: z
    .strictObject({
      create_before_destroy: z.boolean().meta({ description: 'A replacement is made before the old one goes.' }).optional(),
      ignore_changes: z
        .array(z.string().min(1))
        .meta({ description: 'Paths in the config that are no reason to act.' })
        .optional(),
      prevent_destroy: z.boolean().meta({ description: 'As protected.' }).optional(),
    })
    .optional(),
});

export const outputShape = z.strictObject({
  value: z.unknown().meta({ description: 'A value or a text with references.' }),
  sensitive: z.boolean().meta({ description: 'Shown only on request, and stored encrypted.' }).optional(),
  description: z.string().optional(),
});

export const backendShape = z.strictObject({
  provider: z.string().meta({ description: 'One of infra.providers that keeps state.' }),
  name: z.string().min(1).meta({ description: 'Which of its backends.' }),
  config: z.record(z.string(), z.unknown()).optional(),
});

export const stackKeys = ['providers', 'resources', 'outputs', 'backend', 'environments'] as const;
/** What the overlay of an environment may change. */
export const overlayKeys = stackKeys.slice(0, 4);
