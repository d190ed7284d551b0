// Resources as the public contract has them, in both directions.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { FieldChange, ResourceDiff, ResourceHints, ResourceOutput, ResourceRef, ResourceSpec, Size } from '@errand/contract';
import type {
  DiffResult as DiffMessage,
  DiffResultSchema,
  FieldChange as ChangeMessage,
  FieldChangeSchema,
  ResourceHints as HintsMessage,
  ResourceOutput as OutputMessage,
  ResourceOutputSchema,
  ResourceRef as RefMessage,
  ResourceRefSchema,
  ResourceSpec as SpecMessage,
  ResourceSpecSchema,
} from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { required } from '../wire/malformed.ts';
import { optional } from '../wire/values.ts';
import { readAttributes, readOptionalJson, sendAttributes, sendOptionalJson } from './json-bytes.ts';

export function sendResourceRef({ name, type, providerId }: ResourceRef): MessageInitShape<typeof ResourceRefSchema> {
  return { name, type, providerId: providerId ?? '' };
}

export function readResourceRef(message: RefMessage | undefined, type = ''): ResourceRef {
  const ref = required(message, 'the reference to the resource');
  return { name: ref.name, type: ref.type || type, ...(ref.providerId !== '' && { providerId: ref.providerId }) };
}

export function sendSpec(spec: ResourceSpec): MessageInitShape<typeof ResourceSpecSchema> {
  const { name, type, config, size, hints, dependsOn } = spec;
  return {
    name,
    type,
    configJson: sendAttributes(config),
    size: size ?? '',
    dependsOn: [...dependsOn],
    ...(hints && { hints: { ...hints } }),
  };
}

export function readSpec(message: SpecMessage | undefined, type = ''): ResourceSpec {
  const spec = required(message, 'the spec of the resource');
  const { name, configJson, size, hints, dependsOn } = spec;
  return {
    name,
    type: spec.type || type,
    config: readAttributes(configJson, `the config of ${JSON.stringify(name)}`),
    dependsOn,
    // A size that nobody knows was meant for somebody else; wishes for it are no reason to refuse the resource.
    ...(isSize(size) && { size }),
    ...(hints && { hints: readHints(hints) }),
  };
}

export function readHints(message: HintsMessage | undefined): ResourceHints {
  const { cpu = '', memory = '', storage = '' } = message ?? {};
  return optional({ cpu: cpu || undefined, memory: memory || undefined, storage: storage || undefined });
}

export function isSize(text: string): text is Size {
  return text === 'xs' || text === 's' || text === 'm' || text === 'l' || text === 'xl';
}

export function sendOutput(output: ResourceOutput): MessageInitShape<typeof ResourceOutputSchema> {
  const { name, type, providerId, outputs, sensitive, status } = output;
  return {
    name,
    type,
    providerId,
    outputsJson: sendAttributes(outputs),
    sensitive: Object.fromEntries(sensitive.map((key) => [key, true])),
    status,
  };
}

/** Name and type may be left out where the call has said them. */
export function readOutput(message: OutputMessage | undefined, asked?: { name: string; type: string }): ResourceOutput {
  const { name, type, providerId, outputsJson, sensitive, status } = required(message, 'the resource');
  return {
    name: name || (asked?.name ?? ''),
    type: type || (asked?.type ?? ''),
    providerId,
    outputs: readAttributes(outputsJson, `the outputs of ${JSON.stringify(name || asked?.name)}`),
    sensitive: Object.keys(sensitive).filter((key) => sensitive[key]),
    status,
  };
}

export function sendChange(change: FieldChange): MessageInitShape<typeof FieldChangeSchema> {
  const { path, forceNew } = change;
  return { path, oldJson: sendOptionalJson(change.old), newJson: sendOptionalJson(change.new), forceNew };
}

export function readChange(message: ChangeMessage): FieldChange {
  const { path, oldJson, newJson, forceNew } = message;
  const what = `the change of ${JSON.stringify(path)}`;
  return { path, forceNew, ...optional({ old: readOptionalJson(oldJson, what), new: readOptionalJson(newJson, what) }) };
}

export function sendDiff({ needsUpdate, needsReplace, changes }: ResourceDiff): MessageInitShape<typeof DiffResultSchema> {
  return { needsUpdate, needsReplace, changes: changes.map(sendChange) };
}

/** Absent is how "no change" may be said. */
export function readDiff(message: DiffMessage | undefined): ResourceDiff {
  if (message === undefined) return { needsUpdate: false, needsReplace: false, changes: [] };
  const { needsUpdate, needsReplace, changes } = message;
  return { needsUpdate, needsReplace, changes: changes.map(readChange) };
}
