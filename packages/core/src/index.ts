export { createRuntime } from './runtime/create-runtime.ts';
export type { WiringOptions } from './runtime/create-runtime.ts';
export type {
  CancelResult,
  Duration,
  EnvironmentInfo,
  Job,
  LeaseHandle,
  LogOptions,
  RunRequest,
  Runtime,
  RuntimeOptions,
  WarmReport,
} from './runtime/sdk.ts';
export { runtimeOn } from './runtime/runtime.ts';
export { lockName, pluginProvider } from './providers/plugin.ts';
export type { PluginDefinition, PluginSite, Served } from './providers/plugin.ts';
export { createProviders } from './providers/registry.ts';
export type { Providers } from './providers/registry.ts';
export { createEngine } from './engine/create.ts';
export type { EngineParts } from './engine/create.ts';
export { defaultSettings } from './engine/types.ts';
export type { Engine, Settings } from './engine/types.ts';
export type { Config, Environment, PluginEntry } from './config/types.ts';
export { provisionLog } from './run/provision-log.ts';
export type { Filling } from './run/fill-pool.ts';
export type { SweepLine, SweepReport } from './lease/report.ts';
export type { LogEntry, LogStore, LogView, LogWriter } from './logs/port.ts';
export { createFileLogs } from './logs/files.ts';
export { createMemoryLogs } from './logs/memory.ts';
export { followLog } from './logs/follow.ts';
export type { StoredEvent } from './model/event.ts';
export type { Lease, LeasePatch, LeaseSpec, Provisioning } from './model/lease.ts';
export type { LeasePolicy, Setup } from './model/setup.ts';
export { leaseStatuses, nextLeaseStatus } from './model/lease-status.ts';
export type { LeaseEvent, LeaseStatus } from './model/lease-status.ts';
export type { Cause, LogSeal, Outcome, Run, RunPatch, RunSpec, SourcePosition, SyncConflict, SyncReport } from './model/run.ts';
export { nextRunStatus, runStatuses } from './model/run-status.ts';
export type { RunEvent, RunStatus } from './model/run-status.ts';
export type { Clock, Holder, Identity, Ports, Random } from './ports.ts';
export { createSecrets } from './secrets/create.ts';
export type { Secrets } from './secrets/port.ts';
export { openStore } from './store/open.ts';
export type { NewLease, NewRun, Reads, RunFilter, Store, Wanted, Writes } from './store/port.ts';
export { systemPorts } from './base/system.ts';
export { formatDuration, parseDuration } from './base/duration.ts';
export { formatSize, parseSize } from './base/size.ts';
export { didYouMean } from './base/distance.ts';
export { loadConfig } from './config/load.ts';
export { locateConfig } from './config/find.ts';
export { dataDirectory, defaultSecretDirectory } from './config/home.ts';
export { readSettings } from './config/settings.ts';
export { starterConfig } from './config/starter.ts';
export { formatDiagnostic } from './config/diagnose.ts';
export { openStateStore } from './store/infra/open.ts';
export type { LockView, StateChange, StateStore, StateWrite } from './store/infra/port.ts';
export type { JournalEntry, StackLock, StepError, StepOutcome } from './model/infra/journal.ts';
export type {
  Action,
  ActionKind,
  DriftSeen,
  Plan,
  PlannedChange,
  PlannedOutput,
  PlannedResource,
  Step,
} from './model/infra/plan.ts';
export type {
  DeposedResource,
  ResourceRecord,
  Sealed,
  State,
  StateHead,
  StateOutput,
  StateVersion,
} from './model/infra/record.ts';
export type {
  DeclaredBackend,
  DeclaredOutput,
  DeclaredProvider,
  DeclaredResource,
  Lifecycle,
  Origin,
  Stack,
} from './model/infra/stack.ts';
export type { ApplyEvent, ApplyHooks, ApplyOptions, ApplyResult, InfraStack, PlanOptions, RefreshResult } from './infra/sdk.ts';
export { fileJsonSchema as configJsonSchema } from './infra/declare/json-schema.ts';
export { readStack, stackNames } from './infra/declare/read-stack.ts';
export { problemsOf, readStacks } from './infra/declare/read-stacks.ts';
export type { CheckedStack } from './infra/declare/read-stacks.ts';
export type { StackOptions } from './infra/declare/read-stack.ts';
export { canonicalKeys } from './infra/canonical/keys.ts';
export { sizingTable } from './infra/canonical/sizing.ts';
export { configHash, desiredHash, fingerprint, stackHash } from './infra/hash/hash.ts';
export { computePlan } from './infra/plan/compute.ts';
export type { OpenedInfra, PlanInput } from './infra/plan/types.ts';
export { blockersOf, requireAllowable, requireAllowed } from './infra/plan/gate.ts';
export { parsePlan, readPlan, writePlan } from './infra/plan/file.ts';
export { requireFresh, staleness } from './infra/plan/stale.ts';
export { toDot } from './infra/plan/dot.ts';
export { drawingOf } from './infra/plan/drawing.ts';
export { toSvg } from './infra/plan/svg.ts';
