import type { Client } from '@grpc/grpc-js';
import type { HealthReply } from '../transport/messages.ts';
import { health, healthName } from '../transport/services.ts';

export async function askHealth(client: Client): Promise<boolean> {
  const { path, requestSerialize, responseDeserialize } = health.check;
  const reply = await new Promise<HealthReply | undefined>((resolve, reject) => {
    const deadline = Date.now() + 10_000;
    client.makeUnaryRequest(
      path,
      requestSerialize,
      responseDeserialize,
      { service: healthName },
      { deadline },
      (error, value) => {
        if (error) reject(error);
        else resolve(value);
      },
    );
  });
  return reply?.serving === true;
}
