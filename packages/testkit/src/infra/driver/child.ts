// The process that `killedCreate` kills.
import type { Provider, SecretCall } from '@errand/contract';
import type { CreatePlan } from './killed.ts';

const { program, home, spec, key } = JSON.parse(process.env['ERRAND_CREATE_PLAN'] ?? '') as CreatePlan;
const { open } = (await import(program)) as { readonly open: (home: string) => Promise<Provider> };
const provider = await open(home);
const driver = provider.infra?.drivers.get(spec.type);
if (!driver) throw new Error(`the provider has no driver for ${spec.type}`);
const call: SecretCall = {
  signal: new AbortController().signal,
  log: () => undefined,
  key,
  epoch: 1,
  secret: async (reference) => `plain ${reference}`,
};
process.stdout.write('begun\n');
await driver.create(spec, call);
await provider[Symbol.asyncDispose]();
