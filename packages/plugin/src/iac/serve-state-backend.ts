import { randomUUID } from 'node:crypto';
import type { StateBackend } from '@errand/contract';
import { IaCStateBackend } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { answer } from '../wire/answer.ts';
import { readAttributes } from './json-bytes.ts';
import { callOf } from './serve-driver.ts';
import type { Registration } from './serve-services.ts';
import { unsupported } from './served.ts';
import type { Served } from './served.ts';
import { readRecord, sendRecord } from './state-values.ts';

const methods = IaCStateBackend.method;

/** Works without Initialize: some hosts use a plugin for nothing but its state. */
export function stateBackend(served: Served): readonly Registration[] {
  const { answers, preview } = served;
  if (!preview.stateBackend) return [];
  const configured = new Map<string, Parameters<StateBackend['configure']>>();
  let current: StateBackend | undefined = preview.stateBackend;
  // A provider that was opened with its config is told what the one before it knew.
  served.opened(async (infra) => {
    for (const told of configured.values()) await infra.stateBackend?.configure(...told);
    current = infra.stateBackend;
  });
  const backend = () => {
    if (current) return current;
    throw unsupported('keep state');
  };
  const implementation = {
    listBackendNames: answer(answers, methods.listBackendNames, async () => ({ backendNames: [...backend().names] })),
    configure: answer(answers, methods.configure, async ({ backendName, configJson }, ask, metadata) => {
      const config = readAttributes(configJson, 'the config of the state backend');
      const call = callOf(ask, metadata, ['configure', backendName, config]);
      await backend().configure(backendName, config, call);
      configured.set(backendName, [backendName, config, { ...call, signal: new AbortController().signal }]);
      return {};
    }),
    getState: answer(answers, methods.getState, async ({ resourceId }, ask) => {
      const record = await backend().get(resourceId, ask);
      return record ? { exists: true, state: sendRecord(record) } : { exists: false };
    }),
    saveState: answer(answers, methods.saveState, async ({ state }, ask, metadata) => {
      const record = readRecord(state);
      await backend().save(record, callOf(ask, metadata, ['save', record.resourceId, record.updatedAt, record.outputs]));
      return {};
    }),
    listStates: answer(answers, methods.listStates, async ({ filter }, ask) => ({
      states: (await backend().list(filter, ask)).map(sendRecord),
    })),
    deleteState: answer(answers, methods.deleteState, async ({ resourceId }, ask, metadata) => {
      await backend().delete(resourceId, callOf(ask, metadata, ['forget', resourceId]));
      return {};
    }),
    lock: answer(answers, methods.lock, async ({ resourceId }, ask, metadata) => {
      // Two hosts that send no keys must not count as one.
      await backend().lock(resourceId, callOf(ask, metadata, ['lock', resourceId, randomUUID()]));
      return {};
    }),
    unlock: answer(answers, methods.unlock, async ({ resourceId }, ask, metadata) => {
      await backend().unlock(resourceId, callOf(ask, metadata, ['unlock', resourceId]));
      return {};
    }),
  };
  return [[IaCStateBackend, implementation]];
}
