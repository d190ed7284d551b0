import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { ErrandError } from '@errand/contract';
import { SecretService } from '../gen/errand/v1/secret_pb.js';
import type { AnswerRequest, AnswerResponseSchema } from '../gen/errand/v1/secret_pb.js';
import { answerBidi } from '../wire/answer.ts';

/** How long the host may take to listen, and then to answer. */
const patience = 30_000;

export interface SecretAsker {
  readonly service: UntypedServiceImplementation;
  /** The value behind a reference, from whoever hosts us. Never kept. */
  readonly ask: (reference: string) => Promise<string>;
}

type Question = (message: MessageInitShape<typeof AnswerResponseSchema>) => Promise<void>;

export function createSecretAsker(): SecretAsker {
  const waiting = new Map<bigint, (reply: AnswerRequest['reply']) => void>();
  let listener: Question | undefined;
  let heard = Promise.withResolvers<Question>();
  let last = 0n;

  async function listen(answers: AsyncIterable<AnswerRequest>, send: Question): Promise<void> {
    listener = send;
    heard.resolve(send);
    try {
      for await (const { id, reply } of answers) waiting.get(id)?.(reply);
    } finally {
      if (listener === send) {
        listener = undefined;
        heard = Promise.withResolvers();
      }
      for (const settle of waiting.values()) settle({ case: 'refusal', value: 'the host has gone' });
    }
  }

  return {
    service: { answer: answerBidi({}, SecretService.method.answer, (answers, _ask, send) => listen(answers, send)) },
    async ask(reference) {
      const id = ++last;
      const late = new AbortController();
      const tooLate = sleep(patience, undefined, { signal: late.signal }).then(() => {
        throw missing(reference, `the host gave no answer within ${patience / 1000} s`);
      });
      tooLate.catch(() => undefined);
      try {
        const question = await Promise.race([heard.promise, tooLate]);
        const answer = new Promise<AnswerRequest['reply']>((resolve) => waiting.set(id, resolve));
        await question({ id, reference });
        const reply = await Promise.race([answer, tooLate]);
        if (reply.case === 'value') return Buffer.from(reply.value).toString();
        throw missing(reference, reply.value ?? 'the answer was empty');
      } finally {
        waiting.delete(id);
        late.abort();
      }
    },
  };
}

function missing(reference: string, why: string): ErrandError {
  return new ErrandError('secret/missing', `tried to get the secret ${reference}: ${why}`);
}
