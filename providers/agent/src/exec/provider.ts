// A provider over SandboxExecService, for agents that know nothing else. A job lives and dies with one call, so there is
// nothing to come back to: whoever dies in the middle leaves a job that is lost, and it is never called for twice.
import { createHash } from 'node:crypto';
import { waitForClientReady } from '@grpc/grpc-js';
import type { Client, Metadata } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';
import type { Capabilities, Handle, Host, JobSpec, Json, Provider, Runner, SecretCall } from '@errand/contract';
import { methodDefinition, SandboxExecService } from '@errand/plugin';
import { field, text } from '../connection.ts';
import { carry } from './carry.ts';
import { followOutput, waitForEnd } from './follow.ts';
import {
  allJobs,
  askToStop,
  claim,
  jobDir,
  jobName,
  mayLive,
  readEnd,
  remove,
  removeMarks,
  self,
  writeAsked,
  writeEnd,
} from './spool.ts';

export interface Line {
  readonly address: string;
  readonly client: Client;
  readonly metadata: () => Promise<Metadata>;
}

const capabilities: Capabilities = {
  exactSignal: false,
  liveLogs: true,
  streamSplit: true,
  nativeTimeout: false,
  nativeExpiry: false,
  redactsLogs: false,
  resources: [],
  image: 'required',
  workspaceIn: false,
  workspaceOut: false,
};

const readyWithin = 10_000;
const exec = methodDefinition(SandboxExecService.method.exec);

export function execProvider(home: string, line: Line): Provider {
  return {
    capabilities,
    host: createHost(home),
    runner: createRunner(home, line),
    [Symbol.asyncDispose]: async () => line.client.close(),
  };
}

const handleOf = <K extends 'place' | 'job'>(kind: K, state: Json): Handle<K> => ({
  kind,
  provider: 'sandbox-exec',
  version: 1,
  state,
});
const placeName = (key: string) => createHash('sha256').update(key).digest('hex').slice(0, 32);
const placeIn = (handle: Handle<'place'> | undefined) => text(field(handle?.state, 'place')) ?? '';

/** Nothing stands over there between two calls; a place is only what the jobs here are sorted by. */
function createHost(home: string): Host {
  return {
    acquire: async (_spec, call) => handleOf('place', { place: placeName(call.key) }),
    renew: async () => undefined,
    async realize(_place, files) {
      for await (const entry of files) {
        throw new ErrandError('environment/unsupported', `this kind of agent takes no files, and ${entry.path} was to be sent`, {
          next: 'Leave --workspace out, or run `errand agent` over there.',
        });
      }
    },
    async *collect() {},
    async release(ref, call) {
      const place = ref.handle ? placeIn(ref.handle) : placeName(ref.key);
      for (const { dir, asked } of allJobs(home).filter((job) => job.asked.place === place)) {
        if (!readEnd(dir)) askToStop(dir);
        await waitForEnd(dir, asked.key, call);
        remove(dir);
      }
      removeMarks(home);
    },
    async *inventory() {},
  };
}

function createRunner(home: string, line: Line): Runner {
  return {
    async start(spec, call) {
      await begin(home, line, spec, call);
      return handleOf('job', { job: jobName(call.key) });
    },
    wait: ({ key }, ask) => waitForEnd(jobDir(home, key), key, ask),
    logs: ({ key }, after, ask) => followOutput(jobDir(home, key), key, after, ask),
    async stop({ key }) {
      const dir = jobDir(home, key);
      // Nobody has called for it: then nobody will.
      if (claim(home, key)) writeEnd(dir, { kind: 'signalled', signal: 'SIGTERM' });
      else if (!readEnd(dir)) askToStop(dir);
    },
    async *find(owner) {
      for (const { dir, asked } of allJobs(home).filter((job) => job.asked.owner === owner)) {
        const alive = readEnd(dir) === undefined && mayLive(asked.carrier);
        yield { key: asked.key, handle: handleOf('job', { job: jobName(asked.key) }), alive };
      }
    },
  };
}

/** The claim comes last before the call: up to it nothing has been asked for, and an error may be tried again. */
async function begin(home: string, line: Line, spec: JobSpec, call: SecretCall): Promise<void> {
  refuseUnsayable(spec);
  const env: Record<string, string> = { ...spec.env };
  for (const [name, reference] of Object.entries(spec.secretEnv)) env[name] = await call.secret(reference);
  const metadata = await line.metadata();
  await ready(line);
  call.signal.throwIfAborted();
  if (!claim(home, call.key)) return;
  const dir = jobDir(home, call.key);
  writeAsked(dir, { key: call.key, owner: spec.owner, place: placeIn(spec.place), carrier: self() });
  const request = {
    profile: text(field(spec.options, 'profile')) ?? '',
    image: spec.image ?? '',
    command: 'script' in spec.command ? ['/bin/sh', '-c', spec.command.script] : [...spec.command.argv],
    env,
    workdir: text(field(spec.options, 'workdir')) ?? '',
  };
  const stream = line.client.makeServerStreamRequest(
    exec.path,
    exec.requestSerialize,
    exec.responseDeserialize,
    request,
    metadata,
  );
  void carry(dir, line.address, stream);
}

function refuseUnsayable(spec: JobSpec): void {
  const { profile: _p, workdir: _w, ...others } = (spec.options ?? {}) as Record<string, Json>;
  const strange = [...Object.keys(others), ...Object.keys(spec.resources).map((name) => `resources.${name}`)];
  if (strange.length === 0) return;
  throw new ErrandError('environment/unsupported', `this kind of agent cannot be told ${strange.join(', ')}`, {
    next: 'Leave it out, or run `errand agent` over there.',
  });
}

function ready({ client, address }: Line): Promise<void> {
  return new Promise((resolve, reject) => {
    waitForClientReady(client, Date.now() + readyWithin, (error) => {
      if (!error) return resolve();
      reject(
        new ErrandError('provider/unreachable', `tried to reach the agent at ${address}: no connection came up`, {
          next: 'Check that it is running, and its address and certificate.',
          cause: error,
        }),
      );
    });
  });
}
