import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Command, JobSpec, Json } from '@errand/contract';
import type { JobSpecSchema } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { quoteArgv } from './quote.ts';

const mostSeconds = 2 ** 31 - 1;

/** Our job in the words of the public contract. Secrets go as the references that they are; their values never do. */
export function sendJob(name: string, spec: JobSpec): MessageInitShape<typeof JobSpecSchema> {
  const target = targetOf(spec.options);
  return {
    name,
    kind: 'EPHEMERAL',
    image: spec.image ?? '',
    runCommand: lineOf(spec.command),
    envVars: { ...spec.env },
    envVarsSecret: { ...spec.secretEnv },
    termination: { gracePeriodSeconds: seconds(spec.grace) },
    timeoutSeconds: spec.timeout === undefined ? 0 : seconds(spec.timeout),
    ...(target && { target }),
  };
}

/** Plugins differ in whether the line goes through a shell; `sh -c 'text'` means the same either way. */
function lineOf(command: Command): string {
  return quoteArgv('argv' in command ? command.argv : ['sh', '-c', command.script]);
}

/** Never earlier than asked for. */
const seconds = (ms: number) => Math.min(mostSeconds, Math.ceil(ms / 1000));

/** The resource that the job runs in, where the platform ties jobs to one. */
export interface JobTarget {
  readonly name: string;
  readonly type: string;
  readonly providerId: string;
}

function targetOf(options: Json): JobTarget | undefined {
  const target = fieldsOf(fieldsOf(options)?.['target']);
  if (!target) return undefined;
  const text = (key: string) => (typeof target[key] === 'string' ? target[key] : '');
  return { name: text('name'), type: text('type'), providerId: text('id') };
}

function fieldsOf(value: Json | undefined): Readonly<Record<string, Json>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : undefined;
}
