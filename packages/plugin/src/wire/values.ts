// The small values that many calls share, in both directions.
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Call, Handle, Ref, Resources, Seen } from '@errand/contract';
import type {
  Call as CallMessage,
  CallSchema,
  Handle as HandleMessage,
  HandleSchema,
  Ref as RefMessage,
  RefSchema,
  Resources as ResourcesMessage,
  ResourcesSchema,
  Seen as SeenMessage,
  SeenSchema,
} from '../gen/errand/v1/handle_pb.js';
import { jsonBytes, jsonValue } from './json.ts';
import { Malformed, required } from './malformed.ts';

type Kind = 'place' | 'job';

export function sendHandle({ kind, provider, version, state }: Handle): MessageInitShape<typeof HandleSchema> {
  return { kind, provider, version, stateJson: jsonBytes(state) };
}

export function readHandle<K extends Kind>(kind: K, message: HandleMessage | undefined): Handle<K> {
  const { provider, version, stateJson, ...rest } = required(message, `the handle of the ${kind}`);
  if (rest.kind !== kind) throw new Malformed(`a handle of a ${kind} was due; it is one of ${JSON.stringify(rest.kind)}`);
  return { kind, provider, version, state: jsonValue(stateJson, `the state of the ${kind}’s handle`) };
}

export function sendRef({ key, handle }: Ref<Kind>): MessageInitShape<typeof RefSchema> {
  return handle ? { key, handle: sendHandle(handle) } : { key };
}

export function readRef<K extends Kind>(kind: K, message: RefMessage | undefined): Ref<K> {
  const { key, handle } = required(message, `the ${kind}`);
  return handle ? { key, handle: readHandle(kind, handle) } : { key };
}

export function sendSeen({ key, handle, expiresAt, alive }: Seen<Kind>): MessageInitShape<typeof SeenSchema> {
  return { key, handle: sendHandle(handle), alive, ...optional({ expiresAt }) };
}

export function readSeen<K extends Kind>(kind: K, message: SeenMessage): Seen<K> {
  const { key, handle, expiresAt, alive } = message;
  return { key, handle: readHandle(kind, handle), alive, ...optional({ expiresAt }) };
}

export function sendCall({ key, epoch }: Call): MessageInitShape<typeof CallSchema> {
  return { key, epoch: BigInt(epoch) };
}

export function readCall(message: CallMessage | undefined): Pick<Call, 'key' | 'epoch'> {
  const { key, epoch } = required(message, 'the call’s key and epoch');
  return { key, epoch: Number(epoch) };
}

export function sendResources({ cpu, memory }: Resources): MessageInitShape<typeof ResourcesSchema> {
  return optional({ cpu, memory });
}

export function readResources(message: ResourcesMessage | undefined): Resources {
  return optional({ cpu: message?.cpu, memory: message?.memory });
}

/** Without the fields that are undefined. */
export function optional<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
