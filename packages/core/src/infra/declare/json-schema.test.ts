import { defineProvider } from '@errand/contract';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { fileJsonSchema } from './json-schema.ts';

test('the JSON Schema of the file has the infra section with each provider’s own keys', async () => {
  const definition = defineProvider({
    name: 'docker',
    version: '1',
    summary: '',
    options: () => Promise.resolve(z.strictObject({})),
    infraOptions: () => Promise.resolve(z.strictObject({ host: z.string().optional().describe('the engine') })),
    open: () => Promise.reject(new Error('not opened here')),
  });
  const without = defineProvider({ ...definition, name: 'ssh' });
  const { infraOptions: _, ...plain } = without;
  const schema = await fileJsonSchema(
    new Map([
      ['docker', definition],
      ['ssh', plain],
    ]),
  );
  expect(schema).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    properties: {
      store: { type: 'string' },
      infra: {
        properties: {
          providers: {
            additionalProperties: {
              properties: { use: { anyOf: [{ enum: ['docker'] }, { type: 'string' }] } },
              // oxlint-disable-next-line unicorn/no-thenable -- `then` is JSON Schema's own word
              allOf: [{ then: { properties: { host: { description: 'the engine' } } } }],
            },
          },
          resources: {
            additionalProperties: {
              properties: {
                type: { type: 'string' },
                size: { enum: ['xs', 's', 'm', 'l', 'xl'] },
                depends_on: {},
                lifecycle: {},
              },
              additionalProperties: false,
            },
          },
          environments: { additionalProperties: { properties: { resources: {} }, additionalProperties: false } },
        },
        additionalProperties: false,
      },
    },
  });
  expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
});
