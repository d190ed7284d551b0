// What the optional services say, in both directions.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  ActionFailure,
  CaptureRequest,
  Drift,
  Finding,
  MigrationRepair,
  MigrationRepaired,
  PlanDiagnostic,
} from '@errand/contract';
import type {
  ActionError as FailureMessage,
  CaptureLogsRequest as CaptureMessage,
  CaptureLogsRequestSchema,
  Diagnostic as FindingMessage,
  DiagnosticSchema,
  DriftResult as DriftMessage,
  DriftResultSchema,
  MigrationRepairRequest as RepairMessage,
  MigrationRepairRequestSchema,
  MigrationRepairResult as RepairedMessage,
  MigrationRepairResultSchema,
  PlanDiagnostic as PlanDiagnosticMessage,
  PlanDiagnosticSchema,
} from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { required } from '../wire/malformed.ts';
import { optional } from '../wire/values.ts';
import { readOptionalJson, sendOptionalJson } from './json-bytes.ts';
import { readTime, sendTime } from './times.ts';
import { captureTypes, driftClasses, numberOf, severities, wordOf } from './words.ts';

export function sendFinding({ id, phase, cause, at, detail }: Finding): MessageInitShape<typeof DiagnosticSchema> {
  return { id, phase, cause, detail, ...optional({ at: sendTime(at) }) };
}

export function readFinding({ id, phase, cause, at, detail }: FindingMessage): Finding {
  return { id, phase, cause, detail, ...optional({ at: readTime(at) }) };
}

export function sendDrift(drift: Drift): MessageInitShape<typeof DriftResultSchema> {
  const { name, type, drifted, expected, actual, fields } = drift;
  return {
    name,
    type,
    drifted,
    class: numberOf(driftClasses, drift.class),
    expectedJson: sendOptionalJson(expected),
    actualJson: sendOptionalJson(actual),
    fields: [...fields],
  };
}

export function readDrift(message: DriftMessage): Drift {
  const { name, type, drifted, expectedJson, actualJson, fields } = message;
  return {
    name,
    type,
    drifted,
    class: wordOf(driftClasses, message.class) ?? 'unknown',
    fields,
    ...optional({
      expected: readOptionalJson(expectedJson, `what was expected of ${JSON.stringify(name)}`),
      actual: readOptionalJson(actualJson, `what was found of ${JSON.stringify(name)}`),
    }),
  };
}

export function readFailure({ resource, action, error }: FailureMessage): ActionFailure {
  return { resource, action, error };
}

export function sendPlanDiagnostic(one: PlanDiagnostic): MessageInitShape<typeof PlanDiagnosticSchema> {
  return { ...one, severity: numberOf(severities, one.severity) };
}

/** A severity that is newer than we are is at least worth stopping for. */
export function readPlanDiagnostic({ severity, resource, field, message }: PlanDiagnosticMessage): PlanDiagnostic {
  return { severity: wordOf(severities, severity) ?? 'error', resource, field, message };
}

export function sendCapture(request: CaptureRequest): MessageInitShape<typeof CaptureLogsRequestSchema> {
  const { resource, component = '', type, tailLines = 0, follow, duration, deployment = '' } = request;
  return {
    resourceName: resource.name,
    resourceType: resource.type,
    providerId: resource.providerId ?? '',
    componentName: component,
    logType: numberOf(captureTypes, type),
    tailLines,
    follow,
    durationSeconds: BigInt(Math.ceil((duration ?? 0) / 1000)),
    deploymentId: deployment,
  };
}

export function readCapture(message: CaptureMessage): CaptureRequest {
  const { resourceName, resourceType, providerId, componentName, logType, tailLines, follow, durationSeconds } = message;
  return {
    resource: { name: resourceName, type: resourceType, ...(providerId !== '' && { providerId }) },
    type: wordOf(captureTypes, logType) ?? 'run',
    follow,
    ...optional({
      component: componentName || undefined,
      tailLines: tailLines || undefined,
      duration: Number(durationSeconds) * 1000 || undefined,
      deployment: message.deploymentId || undefined,
    }),
  };
}

export function sendRepair(repair: MigrationRepair): MessageInitShape<typeof MigrationRepairRequestSchema> {
  return {
    appResourceName: repair.app,
    databaseResourceName: repair.database,
    jobImage: repair.image,
    sourceDir: repair.sourceDirectory,
    expectedDirtyVersion: repair.expectedDirtyVersion,
    forceVersion: repair.forceVersion,
    thenUp: repair.thenUp,
    upIfClean: repair.upIfClean,
    confirmForce: repair.confirmForce,
    env: { ...repair.env },
    timeoutSeconds: Math.ceil((repair.timeout ?? 0) / 1000),
  };
}

export function readRepair(message: RepairMessage | undefined): MigrationRepair {
  const repair = required(message, 'the repair');
  return {
    app: repair.appResourceName,
    database: repair.databaseResourceName,
    image: repair.jobImage,
    sourceDirectory: repair.sourceDir,
    expectedDirtyVersion: repair.expectedDirtyVersion,
    forceVersion: repair.forceVersion,
    thenUp: repair.thenUp,
    upIfClean: repair.upIfClean,
    confirmForce: repair.confirmForce,
    env: repair.env,
    ...(repair.timeoutSeconds > 0 && { timeout: repair.timeoutSeconds * 1000 }),
  };
}

export function sendRepaired(repaired: MigrationRepaired): MessageInitShape<typeof MigrationRepairResultSchema> {
  const { jobId, status, applied, logs, findings } = repaired;
  return { providerJobId: jobId, status, applied: [...applied], logs, diagnostics: findings.map(sendFinding) };
}

export function readRepaired(message: RepairedMessage | undefined): MigrationRepaired {
  const { providerJobId, status, applied, logs, diagnostics } = required(message, 'the result of the repair');
  return { jobId: providerJobId, status, applied, logs, findings: diagnostics.map(readFinding) };
}
