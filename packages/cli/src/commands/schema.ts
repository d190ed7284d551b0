import { configJsonSchema } from '@errand/core';
import type { Action } from '../command.ts';
import { providersByName } from '../providers.ts';

export const schemaCommand: Action = async (context) => {
  await context.out.write(`${JSON.stringify(await configJsonSchema(providersByName), null, 2)}\n`);
  return 0;
};
