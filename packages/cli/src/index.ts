// The SDK: what `import { createRuntime } from 'errand'` gives.
import { createRuntime as createCoreRuntime } from '@errand/core';
import type { Runtime, RuntimeOptions } from '@errand/core';
import { builtinProviders } from './providers.ts';

/** Opens the data directory and the config. Dispose it (`await using`) to let go of what it holds. */
export function createRuntime(options: RuntimeOptions = {}): Promise<Runtime> {
  return createCoreRuntime({ ...options, providers: builtinProviders });
}

export { ErrandError, isErrandError } from '@errand/contract';
export type { Capabilities, Diagnostic, ErrorCode, Reason, Stream } from '@errand/contract';
export type {
  Action,
  ApplyEvent,
  ApplyOptions,
  ApplyResult,
  CancelResult,
  Duration,
  EnvironmentInfo,
  InfraStack,
  Job,
  Lease,
  LeaseHandle,
  LogEntry,
  LogOptions,
  Outcome,
  Plan,
  PlanOptions,
  ResourceRecord,
  Run,
  RunFilter,
  RunRequest,
  Runtime,
  RuntimeOptions,
  State,
  StepOutcome,
  StoredEvent,
  SweepReport,
  WarmReport,
} from '@errand/core';
