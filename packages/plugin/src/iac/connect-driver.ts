// A driver over the public ResourceDriver service, for one type of resource.
import { isErrandError } from '@errand/contract';
import type { Ask, Driver, ResourceRef, ResourceSpec, SecretCall } from '@errand/contract';
import { ResourceDriver } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { required } from '../wire/malformed.ts';
import { askFor, change, nothing } from './line.ts';
import type { Line } from './line.ts';
import { readDiff, readOutput, sendOutput, sendResourceRef, sendSpec } from './resource-values.ts';
import { withSecrets } from './secrets.ts';
import { readFinding } from './service-values.ts';

const methods = ResourceDriver.method;

/** What every driver of the public contract has; what else there is, only a plugin of ours can say. */
export type PublicDriver = Driver & Required<Pick<Driver, 'adopt' | 'scale' | 'health' | 'troubleshoot'>>;

export function connectDriver(line: Line, type: string, sensitiveKeys: readonly string[]): PublicDriver {
  const about = (verb: string, name: string) => ({
    verb: `${verb} ${type} ${JSON.stringify(name)}`,
    type: { name: type, declared: line.declares(type) },
  });
  const plain = async (spec: ResourceSpec, call: SecretCall) =>
    sendSpec({ ...spec, config: await withSecrets(spec.config, call.secret) });
  return {
    ...(sensitiveKeys.length > 0 && { sensitiveKeys }),
    keyless: true,
    read: (ref, ask) => orUndefined(read(line, type, ref, ask)),
    diff: (desired, current, ask) => {
      const request = { resourceType: type, desired: sendSpec(desired), current: sendOutput(current) };
      const what = { ...about('compare', desired.name), needsNone: true };
      return askFor(line, what, methods.diff, request, ask, ({ result }) => readDiff(result));
    },
    create: async (spec, call) => {
      const request = { resourceType: type, spec: await plain(spec, call) };
      const what = { ...about('create', spec.name), needsNone: true };
      return await change(line, what, methods.create, request, call, ({ output }) => readOutput(output, spec));
    },
    update: async (ref, spec, call) => {
      const request = { resourceType: type, ref: sendResourceRef(ref), spec: await plain(spec, call) };
      return await change(line, about('update', ref.name), methods.update, request, call, ({ output }) =>
        readOutput(output, spec),
      );
    },
    delete: async (ref, call) => {
      const request = { resourceType: type, ref: sendResourceRef(ref) };
      // What is gone is fine, and not every plugin thinks so.
      await orUndefined(change(line, about('delete', ref.name), methods.delete, request, call, nothing));
    },
    adopt: (spec) => adoptionOf(spec),
    scale: (ref, replicas, call) => {
      const request = { resourceType: type, ref: sendResourceRef(ref), replicas };
      return change(line, about('scale', ref.name), methods.scale, request, call, ({ output }) => readOutput(output, ref));
    },
    health: async (ref, ask) => {
      const request = { resourceType: type, ref: sendResourceRef(ref) };
      const looked = askFor(line, about('look at the health of', ref.name), methods.healthCheck, request, ask, (reply) => {
        const { healthy, message } = required(reply.result, 'the health');
        return { healthy, message };
      });
      // Plugins say so by an error.
      const gone = { healthy: false, message: 'it is not there' };
      return await looked.catch((error: unknown) => otherwise(error, 'provider/not-found', gone));
    },
    troubleshoot: async (ref, failure, ask) => {
      const request = { resourceType: type, ref: sendResourceRef(ref), failureMsg: failure };
      const findings = askFor(line, about('troubleshoot', ref.name), methods.troubleshoot, request, ask, (reply) =>
        reply.diagnostics.map(readFinding),
      );
      // Nothing to find out is what a plugin without this method has found out.
      return await findings.catch((error: unknown) => otherwise(error, 'environment/unsupported', []));
    },
  };
}

/** `provider/not-found` for what is not there. */
function read(line: Line, type: string, ref: ResourceRef, ask: Ask) {
  const about = { verb: `read ${type} ${JSON.stringify(ref.name)}`, type: { name: type, declared: line.declares(type) } };
  const request = { resourceType: type, ref: sendResourceRef(ref) };
  return askFor(line, about, methods.read, request, ask, ({ output }) => readOutput(output, ref));
}

/** A failure to say is no answer: keys that are not known to be sensitive would rest in clear. */
export async function askSensitiveKeys(line: Line, type: string, ask: Pick<Ask, 'signal'>): Promise<readonly string[]> {
  const about = { verb: `name the sensitive outputs of ${type}`, within: line.patience.facts };
  const keys = askFor(line, about, methods.sensitiveKeys, { resourceType: type }, ask, (reply) => reply.keys);
  // A type without a driver behind it has no outputs either.
  return await orUndefined(keys).then(
    (found) => found ?? [],
    (error: unknown) => otherwise(error, 'environment/unsupported', []),
  );
}

export async function orUndefined<T>(promise: Promise<T>): Promise<T | undefined> {
  return await promise.catch((error: unknown) => otherwise(error, 'provider/not-found', undefined));
}

function otherwise<T>(error: unknown, code: 'provider/not-found' | 'environment/unsupported', value: T): T {
  if (isErrandError(error, code)) return value;
  throw error;
}

/** DNS zones are rarely made by whoever manages their records; anything else is taken over only when the config says so. */
function adoptionOf({ name, type, config }: ResourceSpec): ResourceRef | undefined {
  if (type === 'infra.dns' || type === 'infra.dns_delegation') {
    return { name, type, providerId: textIn(config['provider_id']) ?? textIn(config['domain']) ?? name };
  }
  return config['adopt_existing'] === true ? { name, type } : undefined;
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
