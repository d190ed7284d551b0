import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { DescMessage, DescMethod, DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { MethodDefinition, ServiceDefinition } from '@grpc/grpc-js';

type Method<I extends DescMessage, O extends DescMessage> = Pick<DescMethod, 'parent' | 'name' | 'localName' | 'methodKind'> & {
  readonly input: I;
  readonly output: O;
};

/** Asked for with every call, and the same each time. */
const definitions = new WeakMap<object, unknown>();

/** A method as grpc-js wants it. What is sent may be a whole message or just its fields. */
export function methodDefinition<I extends DescMessage, O extends DescMessage>(
  method: Method<I, O>,
): MethodDefinition<MessageInitShape<I>, MessageShape<O>> {
  const known = definitions.get(method) as MethodDefinition<MessageInitShape<I>, MessageShape<O>> | undefined;
  if (known) return known;
  const made = definitionOf(method);
  definitions.set(method, made);
  return made;
}

function definitionOf<I extends DescMessage, O extends DescMessage>(
  method: Method<I, O>,
): MethodDefinition<MessageInitShape<I>, MessageShape<O>> {
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    originalName: method.localName,
    requestStream: method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming',
    responseStream: method.methodKind === 'server_streaming' || method.methodKind === 'bidi_streaming',
    requestSerialize: (message) => encode(method.input, message),
    requestDeserialize: (bytes) => fromBinary(method.input, bytes),
    responseSerialize: (message) => encode(method.output, message),
    responseDeserialize: (bytes) => fromBinary(method.output, bytes),
  };
}

/** For `server.addService`; the methods are named as in the generated code. */
export function serviceDefinition(service: DescService): ServiceDefinition {
  return Object.fromEntries(service.methods.map((method) => [method.localName, methodDefinition(method)]));
}

export function encode<T extends DescMessage>(type: T, message: MessageInitShape<T>): Buffer {
  const bytes = toBinary(type, create(type, message));
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
