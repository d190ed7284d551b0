// A plugin's public Runner whose every answer a test decides.
import { status } from '@grpc/grpc-js';
import type { Server, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import { create } from '@bufbuild/protobuf';
import {
  IaCProviderJobCanceler,
  IaCProviderRunner,
  JobHandleSchema,
  JobState,
  JobStatusReplySchema,
  LogChunkSchema,
} from '../src/gen/workflow/plugin/external/iac/iac_pb.js';
import type { JobHandle, JobSpec, JobStatusReply } from '../src/gen/workflow/plugin/external/iac/iac_pb.js';
import { serviceDefinition } from '../src/wire/definition.ts';

export interface FakeJob {
  readonly spec: JobSpec;
  state: JobState;
  exitCode: number;
  message: string;
  /** What JobLogs gives, as pieces of source and text. */
  log: [source: string, text: string][];
}

export interface FakeJobs {
  readonly jobs: Map<string, FakeJob>;
  readonly calls: string[];
  /** A status code to fail the next calls of a method with; `hang` answers never; `after` fails when all was done. */
  readonly trouble: Map<string, (status | 'hang' | 'after')[]>;
  /** What a second job of the same name is. */
  twice: 'refused' | 'doubled';
  /** Jobs are found by id only. */
  idsOnly: boolean;
  readonly add: (server: Server) => readonly string[];
}

export function fakeJobs(options: { readonly cancels?: boolean } = {}): FakeJobs {
  const jobs = new Map<string, FakeJob>();
  const calls: string[] = [];
  const trouble: FakeJobs['trouble'] = new Map();
  const handleOf = (id: string, job: FakeJob) =>
    create(JobHandleSchema, { id, name: job.spec.name, provider: 'fake', metadata: { region: 'here' } });
  const find = ({ id, name }: JobHandle): [string, FakeJob] | undefined =>
    [...jobs].find(([own, job]) => own === id || (!fake.idsOnly && job.spec.name === name));

  /** Gives undefined when the answer is up to the caller. */
  function inTheWay(method: string): status | 'hang' | 'after' | undefined {
    calls.push(method);
    return trouble.get(method)?.shift();
  }

  function unary<I, O>(method: string, work: (request: I) => O | status) {
    return (call: ServerUnaryCall<I, O>, reply: sendUnaryData<O>) => {
      const what = inTheWay(method);
      if (what === 'hang') return;
      const refuse = (code: status) => reply({ code, details: `${method} said ${status[code]}` });
      if (typeof what === 'number') return refuse(what);
      const result = work(call.request);
      if (typeof result === 'number') refuse(result);
      else if (what === 'after') refuse(status.UNAVAILABLE);
      else reply(null, result);
    };
  }

  const fake: FakeJobs = {
    jobs,
    calls,
    trouble,
    twice: 'refused',
    idsOnly: false,
    add(server) {
      server.addService(serviceDefinition(IaCProviderRunner), {
        runJob: unary<JobSpec, JobHandle>('RunJob', (spec) => {
          const there = [...jobs.values()].some((job) => job.spec.name === spec.name);
          if (there && fake.twice === 'refused') return status.ALREADY_EXISTS;
          const id = `id-${jobs.size + 1}`;
          const job: FakeJob = { spec, state: JobState.RUNNING, exitCode: 0, message: '', log: [] };
          jobs.set(id, job);
          return handleOf(id, job);
        }),
        jobStatus: unary<JobHandle, JobStatusReply>('JobStatus', (handle) => {
          const found = find(handle);
          if (!found) return status.NOT_FOUND;
          const [id, job] = found;
          const { state, exitCode, message } = job;
          return create(JobStatusReplySchema, { handle: handleOf(id, job), state, exitCode, message });
        }),
        jobLogs: (call: ServerWritableStream<JobHandle, unknown>) => {
          const what = inTheWay('JobLogs');
          if (what === 'hang') return;
          const found = find(call.request);
          const fail = (code: status) => void call.emit('error', { code, details: `JobLogs said ${status[code]}` });
          if (typeof what === 'number') return fail(what);
          if (!found) return fail(status.NOT_FOUND);
          const pieces = found[1].log.map(([source, text]) => create(LogChunkSchema, { source, data: Buffer.from(text) }));
          for (const piece of what === 'after' ? pieces.slice(0, -1) : pieces) call.write(piece);
          if (what === 'after') return fail(status.UNAVAILABLE);
          call.end();
        },
      });
      if (options.cancels === false) return [IaCProviderRunner.typeName];
      server.addService(serviceDefinition(IaCProviderJobCanceler), {
        cancelJob: unary<JobHandle, object>('CancelJob', (handle) => {
          const found = find(handle);
          if (!found) return status.NOT_FOUND;
          if (found[1].state !== JobState.RUNNING) return status.FAILED_PRECONDITION;
          found[1].state = JobState.CANCELLED;
          return {};
        }),
      });
      return [IaCProviderRunner.typeName, IaCProviderJobCanceler.typeName];
    },
  };
  return fake;
}
