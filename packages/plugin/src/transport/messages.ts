// The few messages of the transport services, by hand: a plugin's start-up is a promise, and their generated code with its
// descriptors would be loaded before the handshake. The test holds them against that code.
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

export interface StdioData {
  readonly channel: 'stdout' | 'stderr' | 'unknown';
  readonly data: Uint8Array;
}

export interface HealthRequest {
  readonly service: string;
}

export interface HealthReply {
  readonly serving: boolean;
}

/** A message without fields; also one that we need not look into. */
export const opaque = {
  write: (bytes: Uint8Array): Buffer => Buffer.from(bytes),
  read: (bytes: Buffer): Uint8Array => bytes,
};
export const nothing = new Uint8Array();

const channels = ['unknown', 'stdout', 'stderr'] as const;

export const stdioData = {
  write: ({ channel, data }: StdioData): Buffer =>
    finish(
      new BinaryWriter().tag(1, WireType.Varint).int32(channels.indexOf(channel)).tag(2, WireType.LengthDelimited).bytes(data),
    ),
  read: (bytes: Buffer): StdioData => {
    let channel: StdioData['channel'] = 'unknown';
    let data: Uint8Array = nothing;
    for (const { field, reader } of fieldsOf(bytes, { 1: WireType.Varint, 2: WireType.LengthDelimited })) {
      if (field === 1) channel = channels[reader.int32()] ?? 'unknown';
      else data = reader.bytes();
    }
    return { channel, data };
  },
};

export const healthRequest = {
  write: ({ service }: HealthRequest): Buffer => finish(new BinaryWriter().tag(1, WireType.LengthDelimited).string(service)),
  read: (bytes: Buffer): HealthRequest => {
    let service = '';
    for (const { reader } of fieldsOf(bytes, { 1: WireType.LengthDelimited })) service = reader.string();
    return { service };
  },
};

const serving = 1;
const notServing = 2;

export const healthReply = {
  write: (reply: HealthReply): Buffer =>
    finish(new BinaryWriter().tag(1, WireType.Varint).int32(reply.serving ? serving : notServing)),
  read: (bytes: Buffer): HealthReply => {
    let status = 0;
    for (const { reader } of fieldsOf(bytes, { 1: WireType.Varint })) status = reader.int32();
    return { serving: status === serving };
  },
};

const finish = (writer: BinaryWriter) => Buffer.from(writer.finish());

/** The known fields, one after the other; whoever iterates must read each value. */
function* fieldsOf(bytes: Uint8Array, known: Readonly<Record<number, WireType>>) {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (known[field] === type) yield { field, reader };
    else reader.skip(type, field);
  }
}
