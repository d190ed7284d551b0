// What is asked for: a place, a job.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Command, JobSpec, PlaceSpec } from '@errand/contract';
import type { PlaceSpec as PlaceSpecMessage, PlaceSpecSchema } from '../gen/errand/v1/host_pb.js';
import type {
  Command as CommandMessage,
  CommandSchema,
  JobSpec as JobSpecMessage,
  JobSpecSchema,
} from '../gen/errand/v1/runner_pb.js';
import { jsonBytes, jsonValue } from './json.ts';
import { Malformed, required } from './malformed.ts';
import { optional, readHandle, readResources, sendHandle, sendResources } from './values.ts';

export function sendPlaceSpec(spec: PlaceSpec): MessageInitShape<typeof PlaceSpecSchema> {
  const { owner, expiresAt, image, resources, labels, options, standing } = spec;
  return {
    owner,
    expiresAt,
    resources: sendResources(resources),
    labels: { ...labels },
    optionsJson: jsonBytes(options),
    ...optional({ image, standing }),
  };
}

export function readPlaceSpec(message: PlaceSpecMessage | undefined): PlaceSpec {
  const { owner, expiresAt, image, resources, labels, optionsJson, standing } = required(message, 'the place’s spec');
  return {
    owner,
    expiresAt,
    resources: readResources(resources),
    labels,
    options: jsonValue(optionsJson, 'the options'),
    ...optional({ image, standing }),
  };
}

export function sendJobSpec(spec: JobSpec): MessageInitShape<typeof JobSpecSchema> {
  const { owner, place, command, env, secretEnv, image, resources, timeout, grace, labels, options } = spec;
  return {
    owner,
    command: sendCommand(command),
    env: { ...env },
    secretEnv: { ...secretEnv },
    resources: sendResources(resources),
    grace,
    labels: { ...labels },
    optionsJson: jsonBytes(options),
    ...(place && { place: sendHandle(place) }),
    ...optional({ image, timeout }),
  };
}

export function readJobSpec(message: JobSpecMessage | undefined): JobSpec {
  const spec = required(message, 'the job’s spec');
  const { owner, place, command, env, secretEnv, image, resources, timeout, grace, labels, optionsJson } = spec;
  return {
    owner,
    command: readCommand(command),
    env,
    secretEnv,
    resources: readResources(resources),
    grace,
    labels,
    options: jsonValue(optionsJson, 'the options'),
    ...(place && { place: readHandle('place', place) }),
    ...optional({ image, timeout }),
  };
}

function sendCommand(command: Command): MessageInitShape<typeof CommandSchema> {
  if ('script' in command) return { kind: { case: 'script', value: command.script } };
  return { kind: { case: 'argv', value: { words: [...command.argv] } } };
}

function readCommand(message: CommandMessage | undefined): Command {
  const { kind } = required(message, 'the command');
  if (kind.case === 'script') return { script: kind.value };
  if (kind.case === 'argv') return { argv: kind.value.words };
  throw new Malformed('the command is neither argv nor a script');
}
