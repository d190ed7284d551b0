import type { MessageInitShape } from '@bufbuild/protobuf';
import { isErrandError } from '@errand/contract';
import type { Json } from '@errand/contract';
import { SecretService } from '../gen/errand/v1/secret_pb.js';
import type { AnswerRequestSchema } from '../gen/errand/v1/secret_pb.js';
import { referencesIn } from '../iac/secrets.ts';
import { bidiStream } from './link.ts';
import type { Link } from './link.ts';

type Answer = MessageInitShape<typeof AnswerRequestSchema>;

export interface SecretAnswers extends Disposable {
  /** The same facet; what its calls name may be asked for from then on. */
  watching<F extends object>(facet: F): F;
}

/** A plugin is told only what a call to it has named: it could ask for anything that this user may read. */
export function answerSecrets(link: Link, secret: (reference: string) => Promise<string>): SecretAnswers {
  const named = new Set<string>();
  const over = new AbortController();
  const answers: Answer[] = [];
  let wake = () => {};

  async function* given(): AsyncGenerator<Answer, void, undefined> {
    while (!over.signal.aborted) {
      if (answers.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      yield* answers.splice(0);
    }
  }

  async function answer(id: bigint, reference: string): Promise<void> {
    try {
      if (!named.has(reference)) throw new Error('no call has named it, so it is not for this plugin');
      answers.push({ id, reply: { case: 'value', value: Buffer.from(await secret(reference)) } });
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const next = isErrandError(error) && error.next !== undefined ? `. ${error.next}` : '';
      answers.push({ id, reply: { case: 'refusal', value: `${why}${next}` } });
    }
    wake();
  }

  async function listen(): Promise<void> {
    const questions = bidiStream(link, SecretService.method.answer, given(), over.signal);
    for await (const { id, reference } of questions) void answer(id, reference);
  }

  // A line that breaks takes the calls that wait for an answer with it; the next connection listens anew.
  listen().catch(() => undefined);
  return {
    watching: (facet) => {
      const methods = Object.entries(facet).map(([name, method]: [string, (...args: unknown[]) => unknown]) => {
        const call = (...args: unknown[]) => {
          for (const reference of referencesIn(args[0] as Json)) named.add(reference);
          return method.apply(facet, args);
        };
        return [name, call];
      });
      return Object.fromEntries(methods) as typeof facet;
    },
    [Symbol.dispose]: () => {
      over.abort();
      wake();
    },
  };
}
