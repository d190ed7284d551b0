// Every method of the public contract between our generated code and the contract's own Go code, with every field set, in
// both directions, on the transport library that its hosts and plugins use.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from '@grpc/grpc-js';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchPlugin } from '../../src/launch/launch.ts';
import { methodDefinition } from '../../src/wire/definition.ts';
import { createBed, expectNothingLeft } from '../bed.ts';
import { differenceOf, filled, services } from '../programs/mirror-fill.ts';
import { buildGoPrograms } from './go.ts';
import type { GoPrograms } from './go.ts';

const run = promisify(execFile);

let built: GoPrograms | string = 'not built';
let go: GoPrograms;
beforeAll(async () => {
  built = await buildGoPrograms('iac');
});
afterAll(async () => {
  if (typeof built !== 'string') await built[Symbol.asyncDispose]();
});
beforeEach((context) => {
  if (typeof built === 'string') context.skip(built);
  else go = built;
});

/** The replies: one, or all of a stream. */
async function ask(client: Client, method: DescMethod): Promise<Message[]> {
  const { path, requestSerialize, responseDeserialize } = methodDefinition(method);
  const request = filled(method.input);
  if (method.methodKind === 'server_streaming') {
    const replies: Message[] = [];
    for await (const reply of client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request))
      replies.push(reply as Message);
    return replies;
  }
  return await new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, reply) => {
      if (error) reject(error);
      else resolve([reply as Message]);
    });
  });
}

const methods = services.flatMap((service) => service.methods);
const nameOf = (method: DescMethod) => `${method.parent.typeName}/${method.name}`;

test('our host calls every method of a Go plugin, and each message arrives whole on both sides', async () => {
  await using bed = await createBed();
  await using plugin = await launchPlugin(bed.options(await bed.program([go.plugin])));
  expect(plugin.secure).toBe(true);
  const broken: Record<string, unknown> = {};
  for (const method of methods) {
    try {
      const replies = await ask(plugin.client, method);
      const wrong = replies.flatMap((reply) => differenceOf(method.output, reply) ?? []);
      if (wrong.length > 0 || replies.length !== (method.methodKind === 'server_streaming' ? 2 : 1))
        broken[nameOf(method)] = wrong;
    } catch (error) {
      broken[nameOf(method)] = error;
    }
  }
  expect(broken).toEqual({});
  expect(methods.length).toBeGreaterThan(70);
  await plugin.stop();
  await expectNothingLeft(bed);
});

test('a Go host calls every method of a plugin of ours, and each message arrives whole on both sides', async () => {
  await using bed = await createBed();
  const directory = await bed.program([process.execPath, join(import.meta.dirname, '../programs/mirror.ts')], 'mirror');
  const { stdout } = await run(go.host, [join(directory, 'mirror')], { timeout: 120_000 });
  const seen = JSON.parse(stdout) as { held: string[]; broken: Record<string, string> };
  expect(seen.broken).toEqual({});
  expect(seen.held.toSorted()).toEqual(methods.map(nameOf).toSorted());
});
