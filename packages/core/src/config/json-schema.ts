import type { Json, ProviderDefinition } from '@errand/contract';
import * as z from 'zod';
import { common, commonKeys, file, pluginEntry } from './schema.ts';

type JsonObject = Record<string, Json>;

/** JSON Schema (draft 2020-12) of errand.yaml for editors, with every provider's own keys. */
export async function configJsonSchema(providers: ReadonlyMap<string, ProviderDefinition>): Promise<JsonObject> {
  const shape = convert(common);
  const properties: JsonObject = { ...object(shape['properties']) };
  // An editor offers the built-in ones; a plugin has the name that the file gives it.
  properties['provider'] = { ...object(properties['provider']), anyOf: [{ enum: [...providers.keys()] }, { type: 'string' }] };
  const rules: Json[] = [];
  for (const [name, definition] of providers) {
    const own = object(convert(await definition.options())['properties']);
    for (const [key, value] of Object.entries(own)) {
      if (!commonKeys.has(key)) properties[key] = either(properties[key], value);
    }
    rules.push({
      if: { properties: { provider: { const: name } }, required: ['provider'] },
      // oxlint-disable-next-line unicorn/no-thenable -- `then` is JSON Schema's own word
      then: { properties: own, propertyNames: { enum: [...commonKeys, ...Object.keys(own)] } },
    });
  }
  // The provider may be inherited, so it is not required here; without it, the keys of all providers are allowed. What a
  // plugin takes is known to the plugin alone.
  rules.push({
    if: { properties: { provider: { enum: [...providers.keys()] } } },
    // oxlint-disable-next-line unicorn/no-thenable -- `then` is JSON Schema's own word
    then: { propertyNames: { enum: Object.keys(properties) } },
  });
  const environment = { type: ['object', 'null'], properties, allOf: rules };
  const top = convert(file);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'errand.yaml',
    ...top,
    properties: {
      ...object(top['properties']),
      providers: {
        ...object(object(top['properties'])['providers']),
        type: ['object', 'null'],
        propertyNames: { pattern: '^[a-z0-9][a-z0-9._-]{0,62}$' },
        additionalProperties: convert(pluginEntry),
      },
      environments: {
        ...object(object(top['properties'])['environments']),
        type: ['object', 'null'],
        propertyNames: { pattern: '^[a-z0-9][a-z0-9._-]{0,62}$' },
        additionalProperties: environment,
      },
    },
  };
}

function convert(schema: z.ZodType): JsonObject {
  return z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input', unrepresentable: 'any' }) as JsonObject;
}

/** Two providers may use one word for different things. */
function either(first: Json | undefined, second: Json): Json {
  if (first === undefined || JSON.stringify(first) === JSON.stringify(second)) return second;
  return { anyOf: [first, second] };
}

function object(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...(value as JsonObject) } : {};
}
