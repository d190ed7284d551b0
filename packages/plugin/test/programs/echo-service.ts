import type { Client } from '@grpc/grpc-js';

const same = (bytes: Buffer) => bytes;

function method(name: string) {
  return {
    path: `/errand.test.Echo/${name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
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
    client.makeUnaryRequest(echo[name].path, same, same, Buffer.from(text), (error, reply) => {
      if (error) reject(error);
      else resolve(reply as Buffer);
    });
  });
}
