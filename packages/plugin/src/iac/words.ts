// Enumerations of the public contract as our words: the position in a list is the number on the wire.
import type {
  DriftClass,
  PlanDiagnostic,
  CaptureRequest,
  Requirement,
  RequirementKind,
  RequirementRuntime,
} from '@errand/contract';

type Words<W extends string> = readonly (W | undefined)[];

/** Undefined where the number stands for nothing, or is newer than we are. */
export function wordOf<W extends string>(words: Words<W>, number: number): W | undefined {
  return words[number];
}

export function wordsOf<W extends string>(words: Words<W>, numbers: readonly number[]): W[] {
  return numbers.flatMap((number) => words[number] ?? []);
}

/** Zero, "unspecified", for a word that is absent or that nobody knows. */
export function numberOf<W extends string>(words: Words<W>, word: W | undefined): number {
  return word === undefined ? 0 : Math.max(0, words.indexOf(word));
}

export const driftClasses: Words<DriftClass> = ['unknown', 'in-sync', 'ghost', 'config'];

export const severities: Words<PlanDiagnostic['severity']> = ['info', 'warning', 'error'];

export const captureTypes: Words<CaptureRequest['type']> = [undefined, 'build', 'deploy', 'run', 'run-restarted'];

export const requirementKinds: Words<RequirementKind> = [
  undefined,
  'observability',
  'web-api',
  'message-broker',
  'database',
  'cache',
  'storage',
];

export const runtimes: Words<RequirementRuntime> = [
  undefined,
  'kubernetes',
  'ecs',
  'cloud-run',
  'azure-container-apps',
  'digitalocean-app-platform',
];

export const signals: Words<Requirement['telemetrySignals'][number]> = [undefined, 'traces', 'metrics', 'logs'];

export const backends: Words<Requirement['observabilityBackends'][number]> = [
  undefined,
  'otel',
  'datadog',
  'prometheus',
  'loki',
  'grafana',
];

export const deploymentModes: Words<Requirement['deploymentModes'][number]> = [
  undefined,
  'sidecar',
  'daemonset',
  'sibling-service',
  'managed',
];
