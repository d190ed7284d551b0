import type { StateBackend } from '@errand/contract';
import { IaCStateBackend } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { jsonBytes } from '../wire/json.ts';
import { orUndefined } from './connect-driver.ts';
import { askFor, change, nothing } from './line.ts';
import type { Line } from './line.ts';
import { readRecord, sendRecord } from './state-values.ts';

const methods = IaCStateBackend.method;

export async function connectStateBackend(line: Line, signal: AbortSignal): Promise<StateBackend> {
  const facts = { verb: 'name its state backends', within: line.patience.facts };
  const names = await askFor(line, facts, methods.listBackendNames, {}, { signal }, ({ backendNames }) => backendNames);
  const about = (verb: string, id: string) => ({ verb: `${verb} the record ${JSON.stringify(id)}` });
  return {
    names,
    async configure(name, config, call) {
      const what = { verb: `open its state backend ${JSON.stringify(name)}` };
      const request = { backendName: name, configJson: jsonBytes(config) };
      await change(line, what, methods.configure, request, call, nothing);
    },
    get: (id, ask) =>
      askFor(line, about('get', id), methods.getState, { resourceId: id }, ask, ({ exists, state }) =>
        exists ? readRecord(state) : undefined,
      ),
    async save(record, call) {
      await change(line, about('save', record.resourceId), methods.saveState, { state: sendRecord(record) }, call, nothing);
    },
    list: (filter, ask) =>
      askFor(line, { verb: 'list its records' }, methods.listStates, { filter: { ...filter } }, ask, ({ states }) =>
        states.map(readRecord),
      ),
    async delete(id, call) {
      await orUndefined(change(line, about('delete', id), methods.deleteState, { resourceId: id }, call, nothing));
    },
    async lock(id, call) {
      await change(line, about('lock', id), methods.lock, { resourceId: id }, call, nothing);
    },
    async unlock(id, call) {
      await change(line, about('unlock', id), methods.unlock, { resourceId: id }, call, nothing);
    },
  };
}
