import type { Ask, LogChunk, Ref, Runner, SecretCall } from '@errand/contract';
import { RunnerService } from '../gen/errand/v1/runner_pb.js';
import { readExit } from './exit.ts';
import { serverStream, unary } from './link.ts';
import type { Link } from './link.ts';
import { createChunkReader } from './log-pieces.ts';
import { reading, readingEach, repliesOf, resultOf } from './replies.ts';
import { sendJobSpec } from './specs.ts';
import { readHandle, readSeen, sendCall, sendRef } from './values.ts';

const { start, wait, logs, stop, find } = RunnerService.method;

export function connectRunner(link: Link): Runner {
  return {
    start: (spec, call) =>
      reading(link, 'start', async () => {
        const secretValues = await resolveSecrets(Object.values(spec.secretEnv), call);
        const request = { spec: sendJobSpec(spec), call: sendCall(call), secretValues };
        return readHandle('job', await resultOf(serverStream(link, start, request, call.signal), 'job', call));
      }),
    wait: (job, ask) =>
      reading(link, 'wait', async () =>
        readExit(await resultOf(serverStream(link, wait, { job: sendRef(job) }, ask.signal), 'exit', ask)),
      ),
    logs: (job, after, ask) => readingEach(link, 'logs', readLogs(link, job, after, ask)),
    async stop(job, how, call) {
      await unary(link, stop, { job: sendRef(job), force: how === 'force', call: sendCall(call) }, call);
    },
    find: (owner, ask) => readingEach(link, 'find', listJobs(link, owner, ask)),
  };
}

/** The far side cannot ask back, so the values go along with the call; they exist nowhere else. */
async function resolveSecrets(references: readonly string[], call: SecretCall): Promise<Record<string, Uint8Array>> {
  const values: Record<string, Uint8Array> = {};
  for (const reference of new Set(references)) values[reference] = Buffer.from(await call.secret(reference));
  return values;
}

async function* readLogs(
  link: Link,
  job: Ref<'job'>,
  after: string | undefined,
  ask: Ask,
): AsyncGenerator<LogChunk, void, undefined> {
  const request = { job: sendRef(job), ...(after !== undefined && { after }) };
  const chunks = createChunkReader();
  for await (const { pieces } of repliesOf(serverStream(link, logs, request, ask.signal), 'batch', ask)) {
    for (const piece of pieces) {
      const chunk = chunks.push(piece);
      if (chunk) yield chunk;
    }
  }
  chunks.finish();
}

async function* listJobs(link: Link, owner: string, ask: Ask) {
  for await (const { seen } of serverStream(link, find, { owner }, ask.signal)) {
    for (const one of seen) yield readSeen('job', one);
  }
}
