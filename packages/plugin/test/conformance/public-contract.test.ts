// The public contracts, name by name and number by number, against a table of what others have compiled in.
// `test/public-contract.json` is facts, not taste: it changes only when the public contract grows.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ScalarType } from '@bufbuild/protobuf';
import type { DescEnum, DescField, DescFile, DescMessage, DescMethod } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { file_grpc_health_v1_health } from '../../src/gen/grpc/health/v1/health_pb.js';
import { file_plugin_grpc_broker } from '../../src/gen/plugin/grpc_broker_pb.js';
import { file_plugin_grpc_controller } from '../../src/gen/plugin/grpc_controller_pb.js';
import { file_plugin_grpc_stdio } from '../../src/gen/plugin/grpc_stdio_pb.js';
import { file_workflow_plugin_external_iac_iac } from '../../src/gen/workflow/plugin/external/iac/iac_pb.js';
import { file_workflow_plugin_external_sandbox_sandbox_exec } from '../../src/gen/workflow/plugin/external/sandbox/sandbox_exec_pb.js';
import { file_workflow_plugin_v1_plugin } from '../../src/gen/workflow/plugin/v1/plugin_pb.js';

interface Contract {
  readonly services: Record<string, Record<string, string>>;
  readonly messages: Record<string, Record<string, string>>;
  readonly enums: Record<string, Record<string, number>>;
}

const files: readonly DescFile[] = [
  file_grpc_health_v1_health,
  file_plugin_grpc_broker,
  file_plugin_grpc_controller,
  file_plugin_grpc_stdio,
  file_workflow_plugin_external_iac_iac,
  file_workflow_plugin_external_sandbox_sandbox_exec,
  file_workflow_plugin_v1_plugin,
];
const table = JSON.parse(await readFile(join(import.meta.dirname, '../public-contract.json'), 'utf8')) as Record<
  string,
  Contract
>;
const scalarNames = new Map(Object.entries(ScalarType).map(([name, value]) => [value as ScalarType, name.toLowerCase()]));

function contractOf(packageName: string): Contract {
  const contract: Contract = { services: {}, messages: {}, enums: {} };
  const local = ({ typeName }: { readonly typeName: string }) => typeName.slice(packageName.length + 1);
  const addEnum = (one: DescEnum) => {
    contract.enums[local(one)] = Object.fromEntries(one.values.map(({ name, number }) => [name, number]));
  };
  const addMessage = (message: DescMessage) => {
    contract.messages[local(message)] = fieldsOf(message);
    // A map is a message too, made up by the compiler.
    message.nestedMessages.filter((one) => one.proto.options?.mapEntry !== true).forEach(addMessage);
    message.nestedEnums.forEach(addEnum);
  };
  for (const file of files.filter(({ proto }) => proto.package === packageName)) {
    for (const service of file.services) {
      contract.services[local(service)] = Object.fromEntries(service.methods.map((one) => [one.name, callOf(one)]));
    }
    file.messages.forEach(addMessage);
    file.enums.forEach(addEnum);
  }
  return contract;
}

function callOf({ methodKind, input, output }: DescMethod): string {
  const sends = methodKind === 'client_streaming' || methodKind === 'bidi_streaming' ? 'stream ' : '';
  const answers = methodKind === 'server_streaming' || methodKind === 'bidi_streaming' ? 'stream ' : '';
  return `${sends}${input.typeName} -> ${answers}${output.typeName}`;
}

function fieldsOf(message: DescMessage): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const field of message.fields) {
    const list = field.fieldKind === 'list' ? 'repeated ' : '';
    const choice = field.oneof ? ` in ${field.oneof.name}` : '';
    fields[field.name] = `${field.number} ${list}${typeOf(field)}${choice}`;
  }
  const reserved = message.proto.reservedRange.map((range) => range.start);
  if (reserved.length > 0) fields['(reserved)'] = reserved.join(', ');
  return fields;
}

function typeOf(field: DescField): string {
  const named = (field.message ?? field.enum)?.typeName ?? scalarNames.get(field.scalar as ScalarType) ?? '?';
  return field.fieldKind === 'map' ? `map<${scalarNames.get(field.mapKey)}, ${named}>` : named;
}

describe.each(Object.keys(table))('%s', (packageName) => {
  const ours = contractOf(packageName);
  const theirs = table[packageName];

  test.each(['services', 'messages', 'enums'] as const)('%s', (part) => {
    expect(Object.keys(ours[part]).toSorted()).toEqual(Object.keys(theirs?.[part] ?? {}).toSorted());
    for (const [name, members] of Object.entries(theirs?.[part] ?? {}))
      expect({ [name]: ours[part][name] }).toEqual({ [name]: members });
  });
});

test('the table is whole', () => {
  const count = (pick: (contract: Contract) => object) => Object.values(table).flatMap((one) => Object.keys(pick(one))).length;
  expect([count((one) => one.services), count((one) => one.messages)]).toEqual([24, 163]);
  expect(Object.keys(table).toSorted()).toEqual([...new Set(files.map(({ proto }) => proto.package))].toSorted());
});
