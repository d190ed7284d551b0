import type { Metadata, UntypedServiceImplementation } from '@grpc/grpc-js';
import { ErrandError, isErrandError } from '@errand/contract';
import type { ActionFailure, Ask, Infra, ResourceOutput, ResourceRef, ResourceState, ResourceStatus } from '@errand/contract';
import { IaCProviderRequired } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { answer } from '../wire/answer.ts';
import { planVersion } from './connect-required.ts';
import { readAttributes, sendAttributes } from './json-bytes.ts';
import { inLanes } from './lanes.ts';
import { sendPlan } from './plan-values.ts';
import { isSize, readHints, readResourceRef, readSpec } from './resource-values.ts';
import { callOf } from './serve-driver.ts';
import { planFor } from './serve-plan.ts';
import { driverOf, unsupported } from './served.ts';
import type { Served } from './served.ts';
import { readState, sendState, sendStatus } from './state-values.ts';

const methods = IaCProviderRequired.method;
const width = 8;

export function serveRequired(served: Served, about: { name: string; version: string }): UntypedServiceImplementation {
  const { answers, infra, preview } = served;
  return {
    initialize: answer(answers, methods.initialize, async ({ configJson }) => {
      await served.initialize(readAttributes(configJson, 'the config of the provider'));
      return {};
    }),
    name: answer(answers, methods.name, async () => ({ name: about.name })),
    version: answer(answers, methods.version, async () => ({ version: about.version })),
    capabilities: answer(answers, methods.capabilities, async () => ({
      capabilities: [...preview.drivers].map(([resourceType, driver]) => ({
        resourceType,
        tier: 1,
        operations: ['create', 'read', 'update', 'delete', ...(driver.scale ? ['scale'] : [])],
      })),
      canonicalKeys: [...(preview.canonicalKeys ?? [])],
      computePlanVersion: planVersion,
    })),
    plan: answer(answers, methods.plan, async ({ desired, current }, ask) => {
      const [wanted, recorded] = [desired.map((spec) => readSpec(spec)), current.map(readState)];
      return { plan: sendPlan(await planFor(infra(), wanted, recorded, ask)) };
    }),
    destroy: answer(answers, methods.destroy, async ({ refs }, ask, metadata) => {
      const { destroyed, errors } = await destroy(
        infra(),
        refs.map((ref) => readResourceRef(ref)),
        ask,
        metadata,
      );
      return { result: { destroyed: [...destroyed], errors: errors.map((one) => ({ ...one })) } };
    }),
    status: answer(answers, methods.status, async ({ refs }, ask) => ({
      statuses: (
        await statusOf(
          infra(),
          refs.map((ref) => readResourceRef(ref)),
          ask,
        )
      ).map(sendStatus),
    })),
    import: answer(answers, methods.import, async ({ resourceType, providerId }, ask) => {
      const state = await imported(infra(), resourceType, providerId, ask);
      if (state) return { state: sendState(state) };
      throw new ErrandError('provider/not-found', `looked for ${resourceType} ${JSON.stringify(providerId)}: it is not there`);
    }),
    resolveSizing: answer(answers, methods.resolveSizing, async ({ resourceType, size, hints }, ask) => {
      if (!isSize(size)) {
        throw new ErrandError('usage/invalid', `was asked for the size ${JSON.stringify(size)}`, {
          next: 'Use xs, s, m, l or xl.',
        });
      }
      const sizing = await infra().sizing?.(resourceType, size, readHints(hints), ask);
      // A host must not meet an unset message in a good answer, so nothing is said with an empty one.
      return { sizing: { instanceType: sizing?.instanceType ?? '', specsJson: sendAttributes(sizing?.specs ?? {}) } };
    }),
    bootstrapStateBackend: answer(answers, methods.bootstrapStateBackend, async ({ configJson }, ask, metadata) => {
      const config = readAttributes(configJson, 'the config of the state');
      const provider = infra();
      if (!provider.bootstrap) throw unsupported('make a place for state');
      const made = await provider.bootstrap(config, callOf(ask, metadata, ['bootstrap', config]));
      if (!made) return {};
      const { bucket, region, endpoint, env } = made;
      return { result: { bucket, region, endpoint, envVars: { ...env } } };
    }),
  };
}

/** Last given, first destroyed; what fails does not keep the rest. */
async function destroy(infra: Infra, refs: readonly ResourceRef[], ask: Ask, metadata: Metadata) {
  const keyed = (what: readonly ResourceRef[]) =>
    callOf(ask, metadata, ['destroy', ...what.map(({ name, type, providerId = '' }) => [type, name, providerId])]);
  if (infra.destroy) return await infra.destroy(refs, keyed(refs));
  const destroyed: string[] = [];
  const errors: ActionFailure[] = [];
  for (const ref of refs.toReversed()) {
    const call = keyed([ref]);
    try {
      // One key came for all of them, and each is a change of its own.
      await driverOf(infra, ref.type).delete(ref, { ...call, key: `${call.key}/${ref.type}/${ref.name}` });
      destroyed.push(ref.name);
    } catch (error) {
      ask.signal.throwIfAborted();
      errors.push({ resource: ref.name, action: 'delete', error: error instanceof Error ? error.message : String(error) });
    }
  }
  return { destroyed, errors };
}

/** No refs stand for everything that can be listed. */
async function statusOf(infra: Infra, refs: readonly ResourceRef[], ask: Ask): Promise<readonly ResourceStatus[]> {
  if (refs.length === 0) return (await everything(infra, ask)).map(statusFrom);
  if (infra.status) return await infra.status(refs, ask);
  const outputs = await inLanes(refs, width, (ref) => driverOf(infra, ref.type).read(ref, ask));
  return outputs.map((output, at) => {
    if (output) return statusFrom(output);
    const { name = '', type = '', providerId = '' } = refs[at] ?? {};
    return { name, type, providerId, status: 'missing', outputs: {} };
  });
}

async function everything({ drivers, enumerator }: Infra, ask: Ask): Promise<ResourceOutput[]> {
  const found: ResourceOutput[] = [];
  for (const type of enumerator ? drivers.keys() : []) {
    try {
      for await (const output of enumerator?.all(type, ask) ?? []) found.push(output);
    } catch (error) {
      // A type without a list.
      if (!isErrandError(error, 'environment/unsupported')) throw error;
    }
  }
  return found;
}

function statusFrom({ name, type, providerId, status, outputs }: ResourceOutput): ResourceStatus {
  return { name, type, providerId, status, outputs };
}

async function imported(infra: Infra, type: string, providerId: string, ask: Ask): Promise<ResourceState | undefined> {
  const driver = driverOf(infra, type);
  if (infra.import) return await infra.import(type, providerId, ask);
  const output = await driver.read({ name: providerId, type, providerId }, ask);
  return (
    output && {
      id: output.providerId,
      name: output.name,
      type,
      provider: '',
      providerRef: '',
      providerId: output.providerId,
      configHash: '',
      appliedConfig: {},
      appliedConfigSource: 'import',
      outputs: output.outputs,
      dependencies: [],
    }
  );
}
