// The rule of interop/iac/mirror/fill.go on our generated code: both sides fill messages alike, so each knows what must come.
import { create, equals, ScalarType, toJson } from '@bufbuild/protobuf';
import type { DescEnum, DescField, DescMessage, DescService, Message } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import type { ReflectMessage } from '@bufbuild/protobuf/reflect';
import { file_workflow_plugin_external_iac_iac } from '../../src/gen/workflow/plugin/external/iac/iac_pb.js';
import { file_workflow_plugin_external_sandbox_sandbox_exec } from '../../src/gen/workflow/plugin/external/sandbox/sandbox_exec_pb.js';
import { file_workflow_plugin_v1_plugin } from '../../src/gen/workflow/plugin/v1/plugin_pb.js';

/** What came into the contract after the version that interop/iac/go.mod names. */
const laterFields = new Set(['JobSpec.target', 'JobSpec.timeout_seconds']);
const laterServices = new Set(['IaCProviderJobCanceler']);

export const services: readonly DescService[] = [
  file_workflow_plugin_external_iac_iac,
  file_workflow_plugin_external_sandbox_sandbox_exec,
  file_workflow_plugin_v1_plugin,
]
  .flatMap((file) => file.services)
  .filter(({ name }) => !laterServices.has(name));

const deepest = 4;

export function filled(type: DescMessage): Message {
  const message = create(type);
  fill(reflect(type, message), 0);
  return message;
}

function fill(message: ReflectMessage, depth: number): void {
  for (const field of message.fields) {
    const isOther = field.oneof !== undefined && field.oneof.fields[0] !== field;
    if (isOther || laterFields.has(`${message.desc.name}.${field.name}`)) continue;
    const value = valueOf(field, field, depth);
    if (value === undefined) continue;
    if (field.fieldKind === 'list') message.get(field).add(value);
    else if (field.fieldKind === 'map') message.get(field).set(field.name, value);
    else message.set(field, value);
  }
}

type Kind = {
  readonly scalar?: ScalarType | undefined;
  readonly enum?: DescEnum | undefined;
  readonly message?: DescMessage | undefined;
};

function valueOf(kind: Kind, field: DescField, depth: number): unknown {
  if (kind.enum !== undefined) return kind.enum.values[1]?.number;
  if (kind.message !== undefined) {
    if (depth === deepest || !isOurs(kind.message.typeName)) return undefined;
    const message = reflect(kind.message);
    fill(message, depth + 1);
    return message;
  }
  if (kind.scalar === ScalarType.STRING) return field.name;
  if (kind.scalar === ScalarType.BYTES) return Buffer.from(`{"${field.name}":${field.number}}`);
  if (kind.scalar === ScalarType.BOOL) return true;
  if (kind.scalar === ScalarType.DOUBLE || kind.scalar === ScalarType.FLOAT) return field.number + 0.5;
  return kind.scalar !== undefined && long.has(kind.scalar) ? BigInt(field.number * 7) : field.number * 7;
}

const long = new Set([ScalarType.INT64, ScalarType.UINT64, ScalarType.SINT64, ScalarType.FIXED64, ScalarType.SFIXED64]);

const isOurs = (name: string) => name.startsWith('workflow.') || name === 'google.protobuf.Timestamp';

/** Undefined when the message is what it should be, with nothing unknown in it. */
export function differenceOf(type: DescMessage, message: Message): string | undefined {
  const wanted = filled(type);
  if ((message.$unknown ?? []).length === 0 && equals(type, message, wanted)) return undefined;
  return `got ${toText(type, message)}\nwanted ${toText(type, wanted)}`;
}

const toText = (type: DescMessage, message: Message) => JSON.stringify(toJson(type, message));
