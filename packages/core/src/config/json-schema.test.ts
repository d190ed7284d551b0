import { defineProvider } from '@errand/contract';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { configJsonSchema } from './json-schema.ts';

test('the JSON Schema has the common keys and those of each provider', async () => {
  const definition = defineProvider({
    name: 'local',
    version: '1',
    summary: 'here',
    options: () => Promise.resolve(z.strictObject({ sandbox: z.enum(['off', 'strict']).default('off').describe('isolation') })),
    open: () => Promise.reject(new Error('not opened here')),
  });
  const schema = await configJsonSchema(new Map([['local', definition]]));
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    additionalProperties: false,
    properties: {
      store: { type: 'string' },
      secrets: { properties: { directory: { type: 'string' } } },
      providers: { additionalProperties: { required: ['plugin'], properties: { config: {}, env: {} } } },
      environments: {
        additionalProperties: {
          properties: {
            provider: { anyOf: [{ enum: ['local'] }, { type: 'string' }] },
            sandbox: { enum: ['off', 'strict'], description: 'isolation' },
            timeout: { type: 'string', examples: ['90s', '20m', '1h30m'] },
            env: { type: 'object' },
          },
          allOf: [
            { if: { properties: { provider: { const: 'local' } } } },
            // Keys that no built-in provider has are for plugins only.
            {
              if: { properties: { provider: { enum: ['local'] } } },
              // oxlint-disable-next-line unicorn/no-thenable -- `then` is JSON Schema's own word
              then: { propertyNames: { enum: expect.arrayContaining(['timeout', 'sandbox']) as string[] } },
            },
          ],
        },
      },
    },
  });
  expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
});
