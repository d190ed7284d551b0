// One service for the plugins of the tests, ours and Go's: bytes in, bytes out, in a google.protobuf.BytesValue.
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { Client } from '@grpc/grpc-js';

const write = (bytes: Buffer) => Buffer.from(new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(bytes).finish());

function read(message: Buffer): Buffer {
  if (message.length === 0) return message;
  const reader = new BinaryReader(message);
  reader.tag();
  return Buffer.from(reader.bytes());
}

function method(name: string) {
  return {
    path: `/errand.test.Echo/${name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: write,
    requestDeserialize: read,
    responseSerialize: write,
    responseDeserialize: read,
  } as const;
}

export const echo = {
  say: method('Say'),
  big: method('Big'),
  environment: method('Environment'),
  talk: method('Talk'),
  hang: method('Hang'),
  die: method('Die'),
};

export async function call(client: Client, name: keyof typeof echo, text: string): Promise<Buffer> {
  return await new Promise((resolve, reject) => {
    client.makeUnaryRequest(echo[name].path, write, read, Buffer.from(text), (error, reply) => {
      if (error) reject(error);
      else resolve(reply as Buffer);
    });
  });
}
