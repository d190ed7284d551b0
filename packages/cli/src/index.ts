// The SDK: what `import { createRuntime } from 'errand'` gives.
export { createRuntime } from './create-runtime.ts';
export { ErrandError, isErrandError } from '@errand/contract';
export type { Capabilities, Diagnostic, ErrorCode, Reason, Stream } from '@errand/contract';
export type {
  Action,
  ApplyEvent,
  ApplyHooks,
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
