import { ErrandError } from '@errand/contract';
import type { Ask, JobExit, Provider, Ref, Runner } from '@errand/contract';
import type { Agents } from './agents.ts';
import { farOptions } from './connection.ts';
import { onEach } from './each.ts';
import { unwrap, wrap } from './handle.ts';
import { agentFor, wrapped } from './host.ts';

export function createRunner(agents: Agents): Runner {
  const at = async (handle: NonNullable<Ref<'job'>['handle']>) => {
    const { connection, inner } = unwrap(handle);
    return { runner: runnerOf(await agents.back(connection)), inner };
  };
  return {
    async start(spec, call) {
      const { place, ...rest } = spec;
      const options = farOptions(spec.options);
      if (!place) {
        const { connection, far } = await agents.enter(agentFor(spec.options));
        return wrap(connection, await runnerOf(far).start({ ...rest, options }, call));
      }
      // Where the place is, the job is: it was written down when the place was made.
      const { connection, inner } = unwrap(place);
      const runner = runnerOf(await agents.back(connection));
      return wrap(connection, await runner.start({ ...rest, place: inner, options }, call));
    },
    async wait(ref, ask) {
      if (!ref.handle) return waitAnywhere(agents, ref.key, ask);
      const { runner, inner } = await at(ref.handle);
      return runner.wait({ key: ref.key, handle: inner }, ask);
    },
    async *logs(ref, after, ask) {
      // An agent that does not know the job has nothing to say of it.
      if (!ref.handle) return yield* onEach(agents, (_, far) => runnerOf(far).logs({ key: ref.key }, after, ask));
      const { runner, inner } = await at(ref.handle);
      yield* runner.logs({ key: ref.key, handle: inner }, after, ask);
    },
    async stop(ref, how, call) {
      if (ref.handle) {
        const { runner, inner } = await at(ref.handle);
        return runner.stop({ key: ref.key, handle: inner }, how, call);
      }
      for (const connection of agents.known()) await runnerOf(await agents.at(connection)).stop({ key: ref.key }, how, call);
    },
    find: (owner, ask) => onEach(agents, (connection, far) => wrapped(connection, runnerOf(far).find(owner, ask))),
  };
}

/** Nobody heard on which agent it was started. Lost only when every agent that it may be on has said so. */
async function waitAnywhere(agents: Agents, key: string, ask: Ask): Promise<JobExit> {
  const over = new AbortController();
  const inner = { ...ask, signal: AbortSignal.any([ask.signal, over.signal]) };
  const lost: JobExit = { kind: 'lost', evidence: `no agent that was ever used has the job ${key}` };
  const known = agents.known();
  const answers: JobExit[] = [];
  const found = Promise.withResolvers<JobExit>();
  const all = known.map(async (connection) => {
    const exit = await runnerOf(await agents.at(connection)).wait({ key }, inner);
    if (exit.kind !== 'lost') found.resolve(exit);
    answers.push(exit);
  });
  const everybody = Promise.allSettled(all).then((results) => {
    const trouble = results.find((one) => one.status === 'rejected');
    if (trouble) throw trouble.reason;
    return answers[0] ?? lost;
  });
  try {
    return await Promise.race([found.promise, everybody]);
  } finally {
    over.abort();
  }
}

function runnerOf(far: Provider): Runner {
  if (far.runner) return far.runner;
  throw new ErrandError('environment/unsupported', 'the agent runs no jobs', { next: 'Use another agent.' });
}
