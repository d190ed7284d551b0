import type { DescEnum } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import * as iac from '../gen/workflow/plugin/external/iac/iac_pb.js';
import * as words from './words.ts';

/** `DRIFT_CLASS_IN_SYNC` → `in-sync`; "unspecified" stands for nothing. */
const wordsOf = (prefix: string, { values }: DescEnum) => {
  const list: (string | undefined)[] = [];
  for (const { name, number } of values) {
    const word = name.slice(prefix.length).toLowerCase().replaceAll('_', '-');
    list[number] = word === 'unspecified' ? undefined : word;
  }
  return list;
};

test.each([
  ['DRIFT_CLASS_', iac.DriftClassSchema, words.driftClasses],
  ['PLAN_DIAGNOSTIC_', iac.PlanDiagnosticSeveritySchema, words.severities],
  ['LOG_CAPTURE_TYPE_', iac.LogCaptureTypeSchema, words.captureTypes],
  ['REQUIREMENT_KIND_', iac.RequirementKindSchema, words.requirementKinds],
  ['REQUIREMENT_RUNTIME_', iac.RequirementRuntimeSchema, words.runtimes],
  ['TELEMETRY_SIGNAL_', iac.TelemetrySignalSchema, words.signals],
  ['OBSERVABILITY_BACKEND_', iac.ObservabilityBackendSchema, words.backends],
  ['DEPLOYMENT_MODE_', iac.DeploymentModeSchema, words.deploymentModes],
] as const)('%s… has its numbers', (prefix, schema, ours) => {
  expect(wordsOf(prefix, schema)).toEqual(ours);
});
