// One call for each method of the public contract that a caller of ours can make.
import type { Infra } from '@errand/contract';
import { all, ask, call } from './stub.ts';

const spec = { name: 'n', type: 'infra.vpc', config: { a: 1 }, dependsOn: [] };
export const ref = { name: 'n', type: 'infra.vpc', providerId: 'i' };
const output = { ...ref, outputs: {}, sensitive: [], status: '' };
const record = {
  resourceId: 'r',
  resourceType: 't',
  provider: 'p',
  providerRef: '',
  providerId: '',
  configHash: '',
  status: '',
  outputs: {},
  config: {},
  dependencies: [],
  createdAt: '',
  updatedAt: '',
  error: '',
};
const repair = {
  app: 'a',
  database: 'd',
  image: 'i',
  sourceDirectory: 's',
  expectedDirtyVersion: '1',
  forceVersion: '1',
  thenUp: false,
  upIfClean: false,
  confirmForce: '',
  env: {},
};
const plan = { id: 'p', createdAt: 0, desiredHash: '', inputs: {}, actions: [] };
const context = { application: 'a', environment: 'e', modules: [], pluginIds: [] };
const wants = { provider: 'p', environment: 'e', requirements: [] };
export const capture = { resource: ref, type: 'run', follow: true } as const;

/** Full name of the method → the call. */
export const calls: Record<string, (infra: Infra) => Promise<unknown> | undefined> = {
  'ResourceDriver/Create': ({ drivers }) => drivers.get('infra.vpc')?.create(spec, call()),
  'ResourceDriver/Read': ({ drivers }) => drivers.get('infra.vpc')?.read(ref, ask()),
  'ResourceDriver/Update': ({ drivers }) => drivers.get('infra.vpc')?.update(ref, spec, call()),
  'ResourceDriver/Delete': ({ drivers }) => drivers.get('infra.vpc')?.delete(ref, call()),
  'ResourceDriver/Diff': ({ drivers }) => drivers.get('infra.vpc')?.diff(spec, output, ask()),
  'ResourceDriver/Scale': ({ drivers }) => drivers.get('infra.vpc')?.scale?.(ref, 2, call()),
  'ResourceDriver/HealthCheck': ({ drivers }) => drivers.get('infra.vpc')?.health?.(ref, ask()),
  'ResourceDriver/Troubleshoot': ({ drivers }) => drivers.get('infra.vpc')?.troubleshoot?.(ref, 'f', ask()),
  'IaCProviderRequired/Destroy': (infra) => infra.destroy?.([ref], call()),
  'IaCProviderRequired/Status': (infra) => infra.status?.([ref], ask()),
  'IaCProviderRequired/Import': (infra) => infra.import?.('infra.vpc', 'i', ask()),
  'IaCProviderRequired/ResolveSizing': (infra) => infra.sizing?.('infra.vpc', 'm', {}, ask()),
  'IaCProviderRequired/BootstrapStateBackend': (infra) => infra.bootstrap?.({}, call()),
  'IaCProviderEnumerator/EnumerateAll': (infra) => all(infra.enumerator?.all('infra.vpc', ask())),
  'IaCProviderEnumerator/EnumerateByTag': (infra) => all(infra.enumerator?.byTag('t', ask())),
  'IaCProviderDriftDetector/DetectDrift': (infra) => infra.driftDetector?.detect([ref], new Map(), ask()),
  'IaCProviderDriftConfigDetector/DetectDriftConfig': (infra) =>
    infra.driftDetector?.detect([ref], new Map([['n', spec]]), ask()),
  'IaCProviderCredentialRevoker/RevokeProviderCredential': (infra) => infra.credentialRevoker?.revoke('s', 'c', call()),
  'IaCProviderRegionLister/ListRegions': (infra) => infra.regionLister?.list('e', ask()),
  'IaCProviderOwnership/GetOwner': (infra) => infra.ownership?.get(ref, ask()),
  'IaCProviderOwnership/SetOwner': (infra) => infra.ownership?.set(ref, 'o', call()),
  'IaCProviderOwnership/ListOwners': (infra) => infra.ownership?.list('o', undefined, ask()),
  'IaCProviderFinalizer/FinalizeApply': (infra) => infra.finalizer?.finalize('p', call()),
  'IaCProviderMigrationRepairer/RepairDirtyMigration': (infra) => infra.migrationRepairer?.repair(repair, call()),
  'IaCProviderValidator/ValidatePlan': (infra) => infra.validator?.validate(plan, ask()),
  'IaCRequirementDiscovery/DiscoverRequirements': (infra) => infra.requirementDiscovery?.discover(context, {}, ask()),
  'IaCProviderRequirementMapper/MapRequirements': (infra) => infra.requirementMapper?.map(wants, ask()),
  'IaCStateBackend/Configure': (infra) => infra.stateBackend?.configure('b', {}, call()),
  'IaCStateBackend/GetState': (infra) => infra.stateBackend?.get('r', ask()),
  'IaCStateBackend/SaveState': (infra) => infra.stateBackend?.save(record, call()),
  'IaCStateBackend/ListStates': (infra) => infra.stateBackend?.list({}, ask()),
  'IaCStateBackend/DeleteState': (infra) => infra.stateBackend?.delete('r', call()),
  'IaCStateBackend/Lock': (infra) => infra.stateBackend?.lock('r', call()),
  'IaCStateBackend/Unlock': (infra) => infra.stateBackend?.unlock('r', call()),
};
