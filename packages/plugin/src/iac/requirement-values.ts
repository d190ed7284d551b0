import type { MessageInitShape } from '@bufbuild/protobuf';
import type { MappedRequirements, Requirement, RequirementContext } from '@errand/contract';
import type {
  IaCRequirement as RequirementMessage,
  IaCRequirementSchema,
  MapRequirementsResponse as MappedMessage,
  MapRequirementsResponseSchema,
  RequirementContext as ContextMessage,
  RequirementContextSchema,
} from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { required } from '../wire/malformed.ts';
import { optional } from '../wire/values.ts';
import { readAttributes, sendAttributes } from './json-bytes.ts';
import { backends, deploymentModes, numberOf, requirementKinds, runtimes, signals, wordOf, wordsOf } from './words.ts';

export function sendRequirement(one: Requirement): MessageInitShape<typeof IaCRequirementSchema> {
  return {
    key: one.key,
    kind: numberOf(requirementKinds, one.kind),
    source: one.source,
    resourceTypeHint: one.resourceTypeHint,
    environment: one.environment,
    runtimes: one.runtimes.map((word) => numberOf(runtimes, word)),
    telemetrySignals: one.telemetrySignals.map((word) => numberOf(signals, word)),
    observabilityBackends: one.observabilityBackends.map((word) => numberOf(backends, word)),
    deploymentModes: one.deploymentModes.map((word) => numberOf(deploymentModes, word)),
    vendorFeatures: [...one.vendorFeatures],
    parametersJson: sendAttributes(one.parameters),
  };
}

export function readRequirement(message: RequirementMessage): Requirement {
  const { key, source, resourceTypeHint, environment, vendorFeatures, parametersJson } = message;
  return {
    key,
    source,
    resourceTypeHint,
    environment,
    runtimes: wordsOf(runtimes, message.runtimes),
    telemetrySignals: wordsOf(signals, message.telemetrySignals),
    observabilityBackends: wordsOf(backends, message.observabilityBackends),
    deploymentModes: wordsOf(deploymentModes, message.deploymentModes),
    vendorFeatures,
    parameters: readAttributes(parametersJson, `the parameters of ${JSON.stringify(key)}`),
    ...optional({ kind: wordOf(requirementKinds, message.kind) }),
  };
}

export function sendContext(context: RequirementContext): MessageInitShape<typeof RequirementContextSchema> {
  const { application, environment, modules, pluginIds } = context;
  return {
    application,
    environment,
    modules: modules.map(({ name, type, satisfies }) => ({ name, type, satisfies: [...satisfies] })),
    pluginIds: [...pluginIds],
  };
}

export function readContext(message: ContextMessage | undefined): RequirementContext {
  const { application, environment, modules, pluginIds } = required(message, 'the context');
  return {
    application,
    environment,
    modules: modules.map(({ name, type, satisfies }) => ({ name, type, satisfies })),
    pluginIds,
  };
}

export function sendMapped(mapped: MappedRequirements): MessageInitShape<typeof MapRequirementsResponseSchema> {
  return {
    acceptedKeys: [...mapped.acceptedKeys],
    rejected: mapped.rejected.map((one) => ({ ...one })),
    modules: mapped.modules.map(({ name, type, satisfies, config, dependsOn }) => ({
      name,
      type,
      satisfies: [...satisfies],
      configJson: sendAttributes(config),
      dependsOn: [...dependsOn],
    })),
    notes: mapped.notes.map((one) => ({ ...one })),
  };
}

export function readMapped(message: MappedMessage): MappedRequirements {
  return {
    acceptedKeys: message.acceptedKeys,
    rejected: message.rejected.map(({ key, code, message: text }) => ({ key, code, message: text })),
    modules: message.modules.map(({ name, type, satisfies, configJson, dependsOn }) => ({
      name,
      type,
      satisfies,
      config: readAttributes(configJson, `the config of ${JSON.stringify(name)}`),
      dependsOn,
    })),
    notes: message.notes.map(({ key, message: text, interactive }) => ({ key, message: text, interactive })),
  };
}
