import type { Json, ProviderDefinition } from '@errand/contract';
import * as z from 'zod';
import { configJsonSchema } from '../../config/json-schema.ts';
import { canonicalType } from '../canonical/keys.ts';
import { canonicalJsonSchema } from '../canonical/schema.ts';
import { backendShape, outputShape, resourceShape } from './schema.ts';

type JsonObject = { readonly [key: string]: Json };

/** JSON Schema of errand.yaml for editors, infrastructure included. */
export async function fileJsonSchema(providers: ReadonlyMap<string, ProviderDefinition>): Promise<JsonObject> {
  const base: JsonObject = await configJsonSchema(providers);
  const properties = base['properties'] as JsonObject;
  const infra = { ...(properties['infra'] as JsonObject), ...(await infraJsonSchema(providers)) };
  return { ...base, properties: { ...properties, infra } };
}

async function infraJsonSchema(providers: ReadonlyMap<string, ProviderDefinition>): Promise<JsonObject> {
  const resource = convert(resourceShape);
  const canonical = canonicalJsonSchema()['properties'] as JsonObject;
  const wholeResource: JsonObject = {
    ...resource,
    required: [],
    type: ['object', 'null'],
    allOf: [
      {
        if: { properties: { type: { const: canonicalType } }, required: ['type'] },
        // oxlint-disable-next-line unicorn/no-thenable -- `then` is JSON Schema's own word
        then: { properties: { config: { properties: orReference(canonical) } } },
      },
    ],
  };
  const output = {
    anyOf: [{ ...convert(outputShape), required: [] }, { type: ['string', 'number', 'boolean', 'array', 'null'] }],
  };
  const sections: JsonObject = {
    providers: mapOf(await providerSchema(providers), 'Who makes the resources.'),
    resources: mapOf(wholeResource, 'What is wanted, by name.'),
    outputs: mapOf(output, 'What is told to others when it is there.'),
    backend: { ...convert(backendShape), required: [], description: 'Where the state is kept; the store when absent.' },
  };
  const overlay = { type: ['object', 'null'], properties: sections, additionalProperties: false };
  return {
    type: ['object', 'null'],
    properties: { ...sections, environments: mapOf(overlay, 'What differs there; an empty value takes something away.') },
    additionalProperties: false,
  };
}

async function providerSchema(providers: ReadonlyMap<string, ProviderDefinition>): Promise<JsonObject> {
  const names: string[] = [];
  const rules: Json[] = [];
  for (const [name, { infraOptions }] of providers) {
    if (!infraOptions) continue;
    names.push(name);
    const own = (convert(await infraOptions())['properties'] ?? {}) as JsonObject;
    rules.push({
      if: { properties: { use: { const: name } }, required: ['use'] },
      // oxlint-disable-next-line unicorn/no-thenable -- `then` is JSON Schema's own word
      then: { properties: own, propertyNames: { enum: ['use', ...Object.keys(own)] } },
    });
  }
  // An entry of `providers:` is as good a name, and reads its keys itself.
  return { type: ['object', 'null'], properties: { use: { anyOf: [{ enum: names }, { type: 'string' }] } }, allOf: rules };
}

function mapOf(additionalProperties: Json, description: string): JsonObject {
  return { type: ['object', 'null'], description, additionalProperties };
}

/** Wherever a value stands, a text with a reference may stand instead. */
function orReference(properties: JsonObject): JsonObject {
  const reference = { type: 'string', pattern: '\\$\\{' };
  return Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, { anyOf: [value, reference] }]));
}

function convert(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input', unrepresentable: 'any' });
  return rest as JsonObject;
}
