// Each field of the public contract is read as what it is: every text in these messages is the name of its field.
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import * as iac from '../../src/gen/workflow/plugin/external/iac/iac_pb.js';
import { readPlan } from '../../src/iac/plan-values.ts';
import { readContext, readMapped, readRequirement } from '../../src/iac/requirement-values.ts';
import { readDiff, readOutput, readResourceRef, readSpec } from '../../src/iac/resource-values.ts';
import {
  readCapture,
  readDrift,
  readFailure,
  readFinding,
  readPlanDiagnostic,
  readRepair,
  readRepaired,
} from '../../src/iac/service-values.ts';
import { readRecord, readState, readStatus } from '../../src/iac/state-values.ts';
import { filled } from '../programs/mirror-fill.ts';

const whole = <M extends DescMessage>(type: M) => filled(type) as MessageShape<M>;

const spec = {
  name: 'name',
  type: 'type',
  config: { config_json: 3 },
  dependsOn: ['depends_on'],
  hints: { cpu: 'cpu', memory: 'memory', storage: 'storage' },
};
const change = { path: 'path', old: { old_json: 2 }, new: { new_json: 3 }, forceNew: true };
/** Seconds and nanoseconds are 7 and 14 there. */
const at = 7000.000014;
const state = {
  id: 'id',
  name: 'name',
  type: 'type',
  provider: 'provider',
  providerRef: 'provider_ref',
  providerId: 'provider_id',
  configHash: 'config_hash',
  appliedConfig: { applied_config_json: 8 },
  appliedConfigSource: 'applied_config_source',
  outputs: { outputs_json: 10 },
  dependencies: ['dependencies'],
  createdAt: at,
  updatedAt: at,
  lastDriftCheck: at,
};
const finding = { id: 'id', phase: 'phase', cause: 'cause', at, detail: 'detail' };

describe('read from a message with every field set', () => {
  const cases: Record<string, readonly [unknown, unknown]> = {
    ref: [readResourceRef(whole(iac.ResourceRefSchema)), { name: 'name', type: 'type', providerId: 'provider_id' }],
    // Its size is no size.
    spec: [readSpec(whole(iac.ResourceSpecSchema)), spec],
    output: [
      readOutput(whole(iac.ResourceOutputSchema)),
      {
        name: 'name',
        type: 'type',
        providerId: 'provider_id',
        outputs: { outputs_json: 4 },
        sensitive: ['sensitive'],
        status: 'status',
      },
    ],
    diff: [readDiff(whole(iac.DiffResultSchema)), { needsUpdate: true, needsReplace: true, changes: [change] }],
    state: [readState(whole(iac.ResourceStateSchema)), state],
    status: [
      readStatus(whole(iac.ResourceStatusSchema)),
      { name: 'name', type: 'type', providerId: 'provider_id', status: 'status', outputs: { outputs_json: 5 } },
    ],
    record: [
      readRecord(whole(iac.IaCStateSchema)),
      {
        resourceId: 'resource_id',
        resourceType: 'resource_type',
        provider: 'provider',
        providerRef: 'provider_ref',
        providerId: 'provider_id',
        configHash: 'config_hash',
        status: 'status',
        outputs: { outputs_json: 8 },
        config: { config_json: 9 },
        dependencies: ['dependencies'],
        createdAt: 'created_at',
        updatedAt: 'updated_at',
        error: 'error',
      },
    ],
    drift: [
      readDrift(whole(iac.DriftResultSchema)),
      {
        name: 'name',
        type: 'type',
        drifted: true,
        class: 'in-sync',
        expected: { expected_json: 5 },
        actual: { actual_json: 6 },
        fields: ['fields'],
      },
    ],
    failure: [readFailure(whole(iac.ActionErrorSchema)), { resource: 'resource', action: 'action', error: 'error' }],
    finding: [readFinding(whole(iac.DiagnosticSchema)), finding],
    'plan diagnostic': [
      readPlanDiagnostic(whole(iac.PlanDiagnosticSchema)),
      { severity: 'warning', resource: 'resource', field: 'field', message: 'message' },
    ],
    capture: [
      readCapture(whole(iac.CaptureLogsRequestSchema)),
      {
        resource: { name: 'resource_name', type: 'resource_type', providerId: 'provider_id' },
        component: 'component_name',
        type: 'build',
        tailLines: 42,
        follow: true,
        duration: 56_000,
        deployment: 'deployment_id',
      },
    ],
    repair: [
      readRepair(whole(iac.MigrationRepairRequestSchema)),
      {
        app: 'app_resource_name',
        database: 'database_resource_name',
        image: 'job_image',
        sourceDirectory: 'source_dir',
        expectedDirtyVersion: 'expected_dirty_version',
        forceVersion: 'force_version',
        thenUp: true,
        upIfClean: true,
        confirmForce: 'confirm_force',
        env: { env: 'env' },
        timeout: 77_000,
      },
    ],
    repaired: [
      readRepaired(whole(iac.MigrationRepairResultSchema)),
      { jobId: 'provider_job_id', status: 'status', applied: ['applied'], logs: 'logs', findings: [finding] },
    ],
    requirement: [
      readRequirement(whole(iac.IaCRequirementSchema)),
      {
        key: 'key',
        kind: 'observability',
        source: 'source',
        resourceTypeHint: 'resource_type_hint',
        environment: 'environment',
        runtimes: ['kubernetes'],
        telemetrySignals: ['traces'],
        observabilityBackends: ['otel'],
        deploymentModes: ['sidecar'],
        vendorFeatures: ['vendor_features'],
        parameters: { parameters_json: 11 },
      },
    ],
    context: [
      readContext(whole(iac.RequirementContextSchema)),
      {
        application: 'application',
        environment: 'environment',
        modules: [{ name: 'name', type: 'type', satisfies: ['satisfies'] }],
        pluginIds: ['plugin_ids'],
      },
    ],
    mapped: [
      readMapped(whole(iac.MapRequirementsResponseSchema)),
      {
        acceptedKeys: ['accepted_keys'],
        rejected: [{ key: 'key', code: 'code', message: 'message' }],
        modules: [
          { name: 'name', type: 'type', satisfies: ['satisfies'], config: { config_json: 4 }, dependsOn: ['depends_on'] },
        ],
        notes: [{ key: 'key', message: 'message', interactive: true }],
      },
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, [read, expected]) => {
    expect(read).toEqual(expected);
  });

  test('plan, whose action must be one', () => {
    const plan = whole(iac.IaCPlanSchema);
    expect(() => readPlan(plan)).toThrow('an action of the plan is "action"');
    for (const action of plan.actions) action.action = 'replace';
    expect(readPlan(plan)).toEqual({
      id: 'id',
      createdAt: at,
      desiredHash: 'desired_hash',
      inputs: { input_snapshot: 'input_snapshot' },
      actions: [
        { action: 'replace', resource: spec, current: state, changes: [change], resolvedConfigHash: 'resolved_config_hash' },
      ],
    });
  });
});
