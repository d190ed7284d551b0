// Resources as JSON, as DriverService carries them. What comes from the other end is looked at before it is believed.
import type {
  DiffPair,
  FieldChange,
  Json,
  ResourceDiff,
  ResourceHints,
  ResourceOutput,
  ResourceRef,
  ResourceSpec,
} from '@errand/contract';
import { jsonBytes, jsonValue } from '../wire/json.ts';
import { Malformed } from '../wire/malformed.ts';
import { optional } from '../wire/values.ts';
import { asAttributes, isList } from './json-bytes.ts';
import { isSize } from './resource-values.ts';

type Fields = { readonly [key: string]: Json };

export function sendShape(value: ResourceRef | ResourceSpec): Uint8Array {
  return jsonBytes(value as unknown as Json);
}

/** As JSON on its way into a list. */
export function shapeText(value: ResourceRef | ResourceOutput | ResourceDiff | DiffPair | undefined): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}

export function listOf<T>(bytes: Uint8Array, what: string, read: (value: Json) => T): T[] {
  const value = jsonValue(bytes, what);
  if (!isList(value)) throw new Malformed(`${what} is not a list`);
  return value.map(read);
}

export function readRefShape(value: Json): ResourceRef {
  const fields = fieldsOf(value, 'the reference to the resource');
  return {
    name: text(fields, 'name'),
    type: text(fields, 'type'),
    ...optional({ providerId: optionalText(fields, 'providerId') }),
  };
}

export function readSpecShape(value: Json): ResourceSpec {
  const fields = fieldsOf(value, 'the spec of the resource');
  const { size, hints, config = null } = fields;
  return {
    name: text(fields, 'name'),
    type: text(fields, 'type'),
    config: asAttributes(config, 'the config of the resource'),
    dependsOn: texts(fields, 'dependsOn'),
    ...(typeof size === 'string' && isSize(size) && { size }),
    ...(hints !== undefined && { hints: readHintsShape(fieldsOf(hints, 'the hints')) }),
  };
}

function readHintsShape(fields: Fields): ResourceHints {
  return optional({
    cpu: optionalText(fields, 'cpu'),
    memory: optionalText(fields, 'memory'),
    storage: optionalText(fields, 'storage'),
  });
}

export function readOutputShape(value: Json): ResourceOutput {
  const fields = fieldsOf(value, 'the resource');
  return {
    name: text(fields, 'name'),
    type: text(fields, 'type'),
    providerId: text(fields, 'providerId'),
    outputs: asAttributes(fields['outputs'] ?? null, 'the outputs of the resource'),
    sensitive: texts(fields, 'sensitive'),
    status: text(fields, 'status'),
  };
}

export function readOptionalOutputShape(value: Json): ResourceOutput | undefined {
  return value === null ? undefined : readOutputShape(value);
}

export function readPairShape(value: Json): DiffPair {
  const { desired = null, current = null } = fieldsOf(value, 'what is to be compared');
  return { desired: readSpecShape(desired), current: readOutputShape(current) };
}

export function readDiffShape(value: Json): ResourceDiff {
  const fields = fieldsOf(value, 'the diff');
  const { changes = [] } = fields;
  if (!isList(changes)) throw new Malformed('the changes of a diff are not a list');
  return {
    needsUpdate: flag(fields, 'needsUpdate'),
    needsReplace: flag(fields, 'needsReplace'),
    changes: changes.map(readChangeShape),
  };
}

function readChangeShape(value: Json): FieldChange {
  const fields = fieldsOf(value, 'a change');
  return {
    path: text(fields, 'path'),
    forceNew: flag(fields, 'forceNew'),
    ...optional({ old: fields['old'], new: fields['new'] }),
  };
}

function fieldsOf(value: Json, what: string): Fields {
  if (value === null || typeof value !== 'object' || isList(value)) throw new Malformed(`${what} is not an object`);
  return value;
}

function text(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string') throw new Malformed(`"${name}" is not text`);
  return value;
}

function optionalText(fields: Fields, name: string): string | undefined {
  return fields[name] === undefined ? undefined : text(fields, name);
}

function flag(fields: Fields, name: string): boolean {
  const value = fields[name];
  if (typeof value !== 'boolean') throw new Malformed(`"${name}" is neither true nor false`);
  return value;
}

function texts(fields: Fields, name: string): string[] {
  const value = fields[name] ?? [];
  if (!isList(value)) throw new Malformed(`"${name}" is not a list`);
  return value.map((each) => {
    if (typeof each !== 'string') throw new Malformed(`"${name}" holds something else than text`);
    return each;
  });
}
