// The shape of errand.yaml. Only `load.ts` and `json-schema.ts` load this file, and only when a config file or its
// schema is asked for: zod is too slow to load for a run without one.
import * as z from 'zod';
import { durationHint, readDuration } from '../base/duration.ts';
import type { Reading } from '../base/quantity.ts';
import { readSecretReference, secretHint } from '../base/secret-reference.ts';
import { readSize, sizeHint } from '../base/size.ts';

type Meta = Parameters<z.ZodString['meta']>[0];

/** A schema for text that is read into a number; the hint travels with the issue. */
function amount(
  what: string,
  hint: string,
  read: (text: string) => Reading,
  options: { readonly zero?: boolean; readonly meta?: Meta } = {},
) {
  // What describes the text must sit on the text: the JSON Schema is that of the input.
  return z
    .string()
    .meta(options.meta ?? {})
    .transform((text, context) => {
      const reading = read(text);
      const problem =
        'problem' in reading ? reading.problem : reading.value === 0 && !options.zero ? 'it must be more than 0' : undefined;
      if (problem === undefined && 'value' in reading) return reading.value;
      context.addIssue({ code: 'custom', message: `not a ${what}: ${problem}`, params: { hint } });
      return z.NEVER;
    });
}

const durationPattern = '^\\s*([0-9.]+(ms|s|m|h|d))+\\s*$|\\$\\{env:';
const duration = (description: string, options: { readonly zero?: boolean } = {}) =>
  amount('duration', durationHint, readDuration, {
    ...options,
    meta: { description, pattern: durationPattern, examples: ['90s', '20m', '1h30m'] },
  });

const reference = z
  .string()
  .superRefine((text, context) => {
    const reading = readSecretReference(text);
    if ('problem' in reading)
      context.addIssue({ code: 'custom', message: `not a secret reference: ${reading.problem}`, params: { hint: secretHint } });
  })
  .meta({
    description: 'A reference such as secret://env/NAME or secret://file/path.',
    pattern: '^secret://(env|file)/|\\$\\{env:',
  });

const plain = z.union([z.string(), z.number(), z.boolean()], { error: 'expected text, a number, true or false' });
const variable = z.union([z.string(), z.number(), z.boolean(), z.strictObject({ secret: reference })], {
  error: 'expected text, a number, true, false or { secret: secret://store/path }',
});

const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'not a name for an environment variable: use letters, digits and _');
const labelName = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9._/-]{0,126}[A-Za-z0-9])?$/,
    'not a name for a label: use letters, digits, and . _ / - between them',
  );

const mostWarm = 100;

const step = z.union([z.string().min(1, 'the command is empty'), z.array(z.string()).min(1, 'the command is empty')], {
  error: 'expected text for sh, or a list of the program and its arguments',
});

/** The keys that every environment may have, whatever its provider. */
export const commonShape = {
  provider: z.string().meta({ description: 'Who runs the work.' }),
  extends: z.string().meta({ description: 'Another environment whose keys are taken over unless given here.' }).optional(),
  image: z.string().min(1).meta({ description: 'Container image, where the provider runs containers.' }).optional(),
  resources: z
    .strictObject({
      cpu: z
        .union([z.number().positive(), amount('number of cores', 'Write for instance 2 or 0.5.', readCores)])
        .meta({ description: 'Cores, for instance 2 or 0.5.' })
        .optional(),
      memory: z
        .union([z.int().positive(), amount('size', sizeHint, readSize)])
        .meta({ description: 'Bytes, or text such as 512Mi or 4Gi.', examples: ['512Mi', '4Gi'] })
        .optional(),
    })
    .meta({ description: 'Limits. Refused before the start where the provider cannot enforce them.' })
    .optional(),
  env: z.record(variableName, variable).meta({ description: 'Environment variables of the job.' }).optional(),
  lease: z
    .strictObject({
      policy: z
        .enum(['fresh', 'reuse', 'keep-on-failure'])
        .meta({
          description:
            'fresh: a place of its own for every run. reuse: a place that an earlier run of the same kind left, with a clean workspace. keep-on-failure: fresh, but kept to be looked at when the command fails.',
        })
        .optional(),
      ttl: duration('How long a place may live before it is taken back.').optional(),
    })
    .meta({ description: 'Which place a run gets, and how long it may live.' })
    .optional(),
  warm: z
    .int()
    .min(0)
    .max(mostWarm, `at most ${mostWarm} places can be kept ready`)
    .meta({ description: 'So many places are kept ready for the next runs; each costs until it is used or expires.' })
    .optional(),
  provision: z
    .array(step)
    .meta({
      description:
        'Commands that are run once in a new place, before its first job: text for sh, or a list of the program and its arguments.',
      examples: [['npm install -g pnpm', ['mkdir', '-p', '/cache']]],
    })
    .optional(),
  timeout: duration('Ends the command after this time.').optional(),
  pending_timeout: duration('Gives up when the command has not started after this time.').optional(),
  grace: duration('Between asking a job to end and forcing it.', { zero: true }).optional(),
  labels: z.record(labelName, plain).meta({ description: 'Carried by everything that runs here.' }).optional(),
};

export const commonKeys: ReadonlySet<string> = new Set(Object.keys(commonShape));
export const common = z.strictObject(commonShape);
export type Common = z.output<typeof common>;

export const environmentName = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** A provider that is a program. */
export const pluginEntry = z.strictObject({
  plugin: z.string().min(1).meta({
    description: 'The plugin’s directory: plugin.json and an executable of the directory’s name. Relative to this file.',
  }),
  config: z
    .record(z.string(), z.json())
    .meta({ description: 'What the plugin is initialised with. A value may be { secret: secret://store/path }.' })
    .optional(),
  env: z
    .record(variableName, variable)
    .meta({ description: 'Environment variables of the plugin’s process; it inherits only a few.' })
    .optional(),
});

/** The top of the file; environments and providers are looked at one by one. */
export const file = z.strictObject({
  providers: z.unknown().meta({ description: 'Programs that environments may name as their provider.' }).optional(),
  environments: z.unknown().meta({ description: 'Named descriptions of where work may run.' }).optional(),
  infra: z.unknown().meta({ description: 'Resources to plan and apply.' }).optional(),
  store: z
    .string()
    .regex(/^(?:sqlite$|postgres(?:ql)?:\/\/.)/, 'expected sqlite or a postgres:// URL')
    .meta({ description: 'sqlite (the default) or a postgres:// URL.' })
    .optional(),
  secrets: z
    .strictObject({
      directory: z.string().min(1).meta({ description: 'Root of secret://file/…; relative to this file.' }).optional(),
    })
    .meta({ description: 'Where secret references are looked up.' })
    .optional(),
});

function readCores(text: string): Reading {
  return /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? { value: Number(text) } : { problem: 'it is not a number' };
}
