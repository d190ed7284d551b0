// What is recorded of resources, in both directions.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { BackendRecord, ResourceState, ResourceStatus } from '@errand/contract';
import type {
  IaCState as RecordMessage,
  IaCStateSchema,
  ResourceState as StateMessage,
  ResourceStateSchema,
  ResourceStatus as StatusMessage,
  ResourceStatusSchema,
} from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { required } from '../wire/malformed.ts';
import { optional } from '../wire/values.ts';
import { readAttributes, sendAttributes } from './json-bytes.ts';
import { readTime, sendTime } from './times.ts';

export function sendState(state: ResourceState): MessageInitShape<typeof ResourceStateSchema> {
  const { appliedConfig, outputs, dependencies, createdAt, updatedAt, lastDriftCheck, ...texts } = state;
  return {
    ...texts,
    appliedConfigJson: sendAttributes(appliedConfig),
    outputsJson: sendAttributes(outputs),
    dependencies: [...dependencies],
    ...optional({
      createdAt: sendTime(createdAt),
      updatedAt: sendTime(updatedAt),
      lastDriftCheck: sendTime(lastDriftCheck),
    }),
  };
}

export function readState(message: StateMessage | undefined): ResourceState {
  const state = required(message, 'the state of the resource');
  return {
    id: state.id,
    name: state.name,
    type: state.type,
    provider: state.provider,
    providerRef: state.providerRef,
    providerId: state.providerId,
    configHash: state.configHash,
    appliedConfig: readAttributes(state.appliedConfigJson, 'the applied config'),
    appliedConfigSource: state.appliedConfigSource,
    outputs: readAttributes(state.outputsJson, 'the outputs'),
    dependencies: state.dependencies,
    ...optional({
      createdAt: readTime(state.createdAt),
      updatedAt: readTime(state.updatedAt),
      lastDriftCheck: readTime(state.lastDriftCheck),
    }),
  };
}

export function sendRecord(record: BackendRecord): MessageInitShape<typeof IaCStateSchema> {
  const { outputs, config, dependencies, ...texts } = record;
  return {
    ...texts,
    outputsJson: sendAttributes(outputs),
    configJson: sendAttributes(config),
    dependencies: [...dependencies],
  };
}

export function readRecord(message: RecordMessage | undefined): BackendRecord {
  const record = required(message, 'the record');
  return {
    resourceId: record.resourceId,
    resourceType: record.resourceType,
    provider: record.provider,
    providerRef: record.providerRef,
    providerId: record.providerId,
    configHash: record.configHash,
    status: record.status,
    outputs: readAttributes(record.outputsJson, `the outputs of ${JSON.stringify(record.resourceId)}`),
    config: readAttributes(record.configJson, `the config of ${JSON.stringify(record.resourceId)}`),
    dependencies: record.dependencies,
    createdAt: record.createdAt,
    updatedAt: record.updatedAt,
    error: record.error,
  };
}

export function sendStatus(status: ResourceStatus): MessageInitShape<typeof ResourceStatusSchema> {
  const { outputs, ...texts } = status;
  return { ...texts, outputsJson: sendAttributes(outputs) };
}

export function readStatus(message: StatusMessage): ResourceStatus {
  const { name, type, providerId, status, outputsJson } = message;
  return { name, type, providerId, status, outputs: readAttributes(outputsJson, `the outputs of ${JSON.stringify(name)}`) };
}
