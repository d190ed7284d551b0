import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { Runner } from '@errand/contract';
import { RunnerService } from '../gen/errand/v1/runner_pb.js';
import { answer, answerStream } from './answer.ts';
import type { AnswerOptions } from './answer.ts';
import { batched } from './batches.ts';
import { sendExit } from './exit.ts';
import { batchBytes, batchItems } from './limits.ts';
import { piecesOf } from './log-pieces.ts';
import { readJobSpec } from './specs.ts';
import { readCall, readRef, sendHandle, sendSeen } from './values.ts';

const methods = RunnerService.method;

export function serveRunner(runner: Runner, options: AnswerOptions): UntypedServiceImplementation {
  return {
    start: answerStream(options, methods.start, async ({ spec, call, secretValues }, ask, send) => {
      const secret = async (reference: string) => secretFrom(secretValues, reference);
      const job = await runner.start(readJobSpec(spec), { ...ask, ...readCall(call), secret });
      await send({ reply: { case: 'job', value: sendHandle(job) } });
    }),
    wait: answerStream(options, methods.wait, async ({ job }, ask, send) => {
      const exit = await runner.wait(readRef('job', job), ask);
      await send({ reply: { case: 'exit', value: sendExit(exit) } });
    }),
    logs: answerStream(options, methods.logs, async ({ job, after }, ask, send) => {
      const chunks = runner.logs(readRef('job', job), after, ask);
      for await (const some of batched(chunks, batchBytes, (chunk) => chunk.bytes.length)) {
        const pieces = some.flatMap((chunk) => [...piecesOf(chunk)]);
        // Usually one message; more when a single chunk was bigger than a batch should be.
        for (let at = 0; at < pieces.length;) {
          let until = at;
          for (let weight = 0; until < pieces.length && (until === at || weight < batchBytes); until++) {
            weight += pieces[until]?.content?.length ?? 0;
          }
          await send({ reply: { case: 'batch', value: { pieces: pieces.slice(at, until) } } });
          at = until;
        }
      }
    }),
    stop: answer(options, methods.stop, async ({ job, force, call }, ask) => {
      await runner.stop(readRef('job', job), force ? 'force' : 'ask', { ...ask, ...readCall(call) });
      return {};
    }),
    find: answerStream(options, methods.find, async ({ owner }, ask, send) => {
      for await (const seen of batched(runner.find(owner, ask), batchItems, () => 1)) {
        await send({ seen: seen.map(sendSeen) });
      }
    }),
  };
}

function secretFrom(values: Readonly<Record<string, Uint8Array>>, reference: string): string {
  const value = Object.hasOwn(values, reference) ? values[reference] : undefined;
  if (value) return Buffer.from(value).toString();
  throw new ErrandError('secret/missing', `tried to get the secret ${reference}: the caller sent no value for it`);
}
