import { ErrandError } from '@errand/contract';
import type { BackendRecord, Infra, StateBackend } from '@errand/contract';
import type { Line } from './faults.ts';

const sizes = {
  xs: { cpu: 0.25, memory: '512Mi' },
  s: { cpu: 1, memory: '2Gi' },
  m: { cpu: 2, memory: '4Gi' },
  l: { cpu: 4, memory: '16Gi' },
  xl: { cpu: 8, memory: '32Gi' },
} as const;

type Services = Pick<
  Infra,
  'sizing' | 'bootstrap' | 'regionLister' | 'migrationRepairer' | 'requirementDiscovery' | 'requirementMapper' | 'stateBackend'
>;

export function otherFakeServices(line: Line): Required<Services> {
  return {
    sizing: (type, size, hints, ask) =>
      line.deliver('sizing', { type, args: { size, hints } }, ask, () => ({
        instanceType: `fake-${size}`,
        specs: { cpu: Number(hints.cpu ?? sizes[size].cpu), memory: hints.memory ?? sizes[size].memory },
      })),
    bootstrap: (config, call) =>
      line.deliver('bootstrap', { args: config }, call, () => ({
        bucket: 'fake-state',
        region: 'nyc3',
        endpoint: 'https://fake-state.fake.test',
        env: { FAKE_STATE: 'ready' },
      })),
    regionLister: {
      list: (environment, ask) =>
        line.deliver('regions', { args: environment }, ask, () => [
          { name: 'nyc1', displayName: 'New York 1' },
          { name: 'nyc3', displayName: 'New York 3' },
        ]),
    },
    migrationRepairer: {
      repair: (request, call) =>
        line.deliver('repair', { args: request }, call, () => {
          const confirmed = request.confirmForce === 'FORCE_MIGRATION_METADATA';
          return {
            jobId: `repair-${request.app}`,
            status: confirmed ? 'succeeded' : 'approval_required',
            applied: confirmed ? [request.forceVersion] : [],
            logs: 'looked at the migrations\n',
            findings: [],
          };
        }),
    },
    requirementDiscovery: {
      discover: (context, moduleConfig, ask) =>
        line.deliver('discover', { args: { context, moduleConfig } }, ask, () => [
          {
            key: `${context.application}-db`,
            kind: 'database' as const,
            source: 'fake',
            resourceTypeHint: 'infra.database',
            environment: context.environment,
            runtimes: ['kubernetes' as const],
            telemetrySignals: [],
            observabilityBackends: [],
            deploymentModes: ['managed' as const],
            vendorFeatures: [],
            parameters: { engine: 'postgres' },
          },
        ]),
    },
    requirementMapper: {
      map: (request, ask) =>
        line.deliver('map', { args: request }, ask, () => {
          const [good, bad] = [true, false].map((wanted) =>
            request.requirements.filter((one) => (one.kind === 'database') === wanted),
          );
          return {
            acceptedKeys: (good ?? []).map((one) => one.key),
            rejected: (bad ?? []).map((one) => ({ key: one.key, code: 'unsupported', message: 'only databases are known here' })),
            modules: (good ?? []).map((one) => ({
              name: one.key,
              type: 'infra.database',
              satisfies: [one.key],
              config: one.parameters,
              dependsOn: [],
            })),
            notes: [],
          };
        }),
    },
    stateBackend: fakeStateBackend(line),
  };
}

function fakeStateBackend(line: Line): StateBackend {
  const records = new Map<string, BackendRecord>();
  const locks = new Map<string, string>();
  const matches = (record: BackendRecord, filter: Readonly<Record<string, string>>) =>
    Object.entries(filter).every(([field, value]) => (record as unknown as Record<string, unknown>)[field] === value);
  return {
    names: ['fake'],
    configure: (name, config, call) =>
      line.deliver('state.configure', { name, args: config }, call, () => {
        if (name !== 'fake') throw new ErrandError('provider/refused', `there is no state backend ${name} here; there is: fake`);
      }),
    get: (id, ask) => line.deliver('state.get', { name: id }, ask, () => records.get(id)),
    save: (record, call) =>
      line.deliver(
        'state.save',
        { name: record.resourceId, args: record },
        call,
        () => void records.set(record.resourceId, record),
      ),
    list: (filter, ask) =>
      line.deliver('state.list', { args: filter }, ask, () => [...records.values()].filter((record) => matches(record, filter))),
    delete: (id, call) => line.deliver('state.delete', { name: id }, call, () => void records.delete(id)),
    /** The same key may lock again: its first answer may have been lost. */
    lock: (id, call) =>
      line.deliver('state.lock', { name: id }, call, () => {
        const holder = locks.get(id);
        if (holder !== undefined && holder !== call.key) {
          throw new ErrandError('provider/conflict', `tried to lock ${id}: somebody has it`, {
            next: 'Wait until it is unlocked.',
          });
        }
        locks.set(id, call.key);
      }),
    unlock: (id, call) => line.deliver('state.unlock', { name: id }, call, () => void locks.delete(id)),
  };
}
