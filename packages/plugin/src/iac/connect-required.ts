// The service that every provider of the public contract has.
import { ErrandError } from '@errand/contract';
import type { Infra, Json } from '@errand/contract';
import { IaCProviderRequired } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { jsonBytes } from '../wire/json.ts';
import { required } from '../wire/malformed.ts';
import { optional } from '../wire/values.ts';
import { orUndefined } from './connect-driver.ts';
import { readAttributes } from './json-bytes.ts';
import { askFor, change, nothing } from './line.ts';
import type { Line } from './line.ts';
import { sendResourceRef } from './resource-values.ts';
import { readFailure } from './service-values.ts';
import { readState, readStatus } from './state-values.ts';

const methods = IaCProviderRequired.method;

/** The way of planning that leaves comparing to drivers and ordering to the host. Others expect the plugin to apply a plan. */
export const planVersion = 'v2';

export interface Declared {
  readonly types: readonly string[];
  readonly canonicalKeys?: readonly string[];
}

export async function initialize(line: Line, config: Json, signal: AbortSignal): Promise<void> {
  // It may ask its platform who it is.
  const about = { verb: 'take its config', within: line.patience.asks };
  await askFor(line, about, methods.initialize, { configJson: jsonBytes(config) }, { signal }, nothing);
}

export async function askCapabilities(line: Line, signal: AbortSignal): Promise<Declared> {
  const about = { verb: 'say what it can', within: line.patience.facts };
  const reply = await askFor(line, about, methods.capabilities, {}, { signal }, (message) => message);
  if (reply.computePlanVersion !== planVersion) {
    const version = reply.computePlanVersion === '' ? 'none' : JSON.stringify(reply.computePlanVersion);
    throw new ErrandError(
      'environment/unsupported',
      `asked ${line.link.name} to ${about.verb}; its compute_plan_version is ${version}, and only "${planVersion}" is spoken here`,
      { next: 'Install a newer version of the plugin.' },
    );
  }
  const types = reply.capabilities.map(({ resourceType }) => resourceType).filter((type) => type !== '');
  return { types, ...(reply.canonicalKeys.length > 0 && { canonicalKeys: reply.canonicalKeys }) };
}

/** Empty where the plugin does not say; nothing depends on it. */
export async function askIdentity(line: Line, signal: AbortSignal): Promise<{ name: string; version: string }> {
  const about = { verb: 'say its name', within: line.patience.facts };
  const [name, version] = await Promise.all([
    askFor(line, about, methods.name, {}, { signal }, (reply) => reply.name).catch(() => ''),
    askFor(line, about, methods.version, {}, { signal }, (reply) => reply.version).catch(() => ''),
  ]);
  signal.throwIfAborted();
  return { name, version };
}

export type RequiredPart = Required<Pick<Infra, 'sizing' | 'import' | 'status' | 'destroy' | 'bootstrap'>>;

export function connectRequired(line: Line): RequiredPart {
  const typeOf = (type: string) => ({ type: { name: type, declared: line.declares(type) } });
  return {
    sizing: (type, size, hints, ask) => {
      const about = { verb: `say what the size ${size} means for ${type}`, ...typeOf(type), needsNone: true };
      const request = { resourceType: type, size, hints: { ...hints } };
      return askFor(line, about, methods.resolveSizing, request, ask, ({ sizing }) => {
        if (sizing === undefined) return undefined;
        const specs = readAttributes(sizing.specsJson, 'the specs of the size');
        const isEmpty = sizing.instanceType === '' && Object.keys(specs).length === 0;
        return isEmpty ? undefined : { instanceType: sizing.instanceType, specs };
      });
    },
    import: (type, providerId, ask) => {
      const about = { verb: `import ${type} ${JSON.stringify(providerId)}`, ...typeOf(type) };
      const request = { resourceType: type, providerId };
      return orUndefined(askFor(line, about, methods.import, request, ask, ({ state }) => readState(state)));
    },
    status: (refs, ask) =>
      askFor(line, { verb: 'say how its resources are' }, methods.status, { refs: refs.map(sendResourceRef) }, ask, (reply) =>
        reply.statuses.map(readStatus),
      ),
    destroy: (refs, call) =>
      change(line, { verb: 'destroy resources' }, methods.destroy, { refs: refs.map(sendResourceRef) }, call, (reply) => {
        const { destroyed, errors } = required(reply.result, 'the list of what was destroyed');
        return { destroyed, errors: errors.map(readFailure) };
      }),
    bootstrap: (config, call) => {
      const about = { verb: 'make the place for state' };
      const request = { configJson: jsonBytes(config) };
      return change(line, about, methods.bootstrapStateBackend, request, call, ({ result }) => {
        if (result === undefined) return undefined;
        const { bucket, region, endpoint, envVars } = result;
        return { bucket, region, endpoint, env: envVars };
      });
    },
  };
}

/** Without what the provider does not have itself. */
export function onlyFacets(part: RequiredPart, facets: ReadonlySet<string>): Partial<RequiredPart> {
  const has = <K extends keyof RequiredPart>(name: K) => (facets.has(name) ? part[name] : undefined);
  return optional({
    sizing: has('sizing'),
    import: has('import'),
    status: has('status'),
    destroy: has('destroy'),
    bootstrap: has('bootstrap'),
  });
}
