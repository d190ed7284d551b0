export type { Ask, Call, SecretCall } from './call.ts';
export type { Capabilities } from './capabilities.ts';
export type { Diagnostic } from './diagnostic.ts';
export { ErrandError, isErrandError, isErrorCode } from './error.ts';
export type { ErrandErrorOptions, ErrorCode, Reason, Retry } from './error.ts';
export type { Handle, Ref } from './handle.ts';
export type { Host, PlaceSpec } from './host.ts';
export type { Command, JobEnd, JobExit, JobSpec, LocalBytes, LogChunk, Resources, Seen, Stream } from './job.ts';
export type { Json } from './json.ts';
export { pathMatcher } from './pattern.ts';
export { defineProvider } from './provider.ts';
export type { ComingRun, EnvironmentRequest, OptionsOrigin, Provider, ProviderContext, ProviderDefinition } from './provider.ts';
export { createRedactor, MASK } from './redact.ts';
export type { Redactor } from './redact.ts';
export type { Runner } from './runner.ts';
export { safeLink, safePath } from './tree.ts';
export type { TreeEntry } from './tree.ts';
export type { DiffPair, Driver, Finding, Health } from './infra/driver.ts';
export type { Bootstrapped, Infra, ResourceStatus, Sizing } from './infra/infra.ts';
export type {
  MappedRequirements,
  Requirement,
  RequirementContext,
  RequirementDiscovery,
  RequirementKind,
  RequirementMapper,
  RequirementRuntime,
} from './infra/requirements.ts';
export type {
  Attributes,
  FieldChange,
  ResourceDiff,
  ResourceHints,
  ResourceOutput,
  ResourceRef,
  ResourceSpec,
  Size,
} from './infra/resource.ts';
export type {
  ActionFailure,
  CapturedLog,
  CaptureRequest,
  CredentialRevoker,
  Drift,
  DriftClass,
  DriftDetector,
  Enumerator,
  Finalizer,
  LogCapture,
  MigrationRepair,
  MigrationRepaired,
  MigrationRepairer,
  OwnerOf,
  Ownership,
  PlanDiagnostic,
  PlanView,
  Region,
  RegionLister,
  Validator,
} from './infra/services.ts';
export type { BackendRecord, ResourceState, StateBackend } from './infra/state.ts';
