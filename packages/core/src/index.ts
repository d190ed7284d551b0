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
export { configJsonSchema } from './config/json-schema.ts';
export { formatDiagnostic } from './config/diagnose.ts';
