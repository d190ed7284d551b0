// How the supervisor starts one job: claim, look at the door, spawn, write the pid down. `watched-job.ts` goes on.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync, openSync, rmSync, statSync } from 'node:fs';
import type { JobExit } from '@errand/contract';
import { commandOf, describeFailure } from './command.ts';
import { codeOf, isAbsent, linkOnce } from './files.ts';
import { captureOutput } from './output.ts';
import type { Source } from './output.ts';
import type { Pipe, Pipes } from './pipes.ts';
import { readPlace } from './place.ts';
import type { Place } from './place.ts';
import { identityOf } from './processes.ts';
import type { Identity } from './processes.ts';
import { append, claimFile, recordFile } from './record.ts';
import type { StartReply, StartRequest } from './protocol.ts';
import { moveSpare } from './spare.ts';
import { watchJob } from './watched-job.ts';

export interface Supervision {
  readonly self: Identity;
  /** Bases of the jobs whose exit is not recorded yet. */
  readonly open: Set<string>;
  readonly pipes: Pipes;
  /** Main processes that were not collected yet. */
  readonly mains: Set<number>;
  readonly ended: (base: string, exit: JobExit) => void;
}

export function startJob(supervision: Supervision, request: StartRequest): StartReply {
  try {
    if (!linkOnce(recordFile(request), claimFile(request))) return { kind: 'taken' };
  } catch (error) {
    return refusal(request, error);
  }
  try {
    append(request, { claimed: supervision.self });
  } catch (error) {
    rmSync(claimFile(request), { force: true });
    return refusal(request, error);
  }
  supervision.open.add(request.base);
  try {
    return startClaimed(supervision, request);
  } catch (error) {
    const message = `the job could not be started: ${String(error)}`;
    record(supervision, request, { kind: 'errored', reason: 'internal', message });
    return { kind: 'started' };
  }
}

/**
 * The claim comes first, then the look at who may have closed the door: release and stop do it the other way round, so
 * at least one side sees the other.
 */
function startClaimed(supervision: Supervision, request: StartRequest): StartReply {
  const place = readPlace(request.placeDir);
  if (place && request.epoch < place.epoch) return giveBack(supervision, request, place);
  const closed = doorCheck(request, place);
  if (closed) record(supervision, request, closed.exit);
  else launch(supervision, request, place?.expiresAt ?? 0);
  return closed?.reply ?? { kind: 'started' };
}

function refusal(request: StartRequest, error: unknown): StartReply {
  const message = `tried to claim the job ${request.base}: ${error instanceof Error ? error.message : String(error)}`;
  if (isAbsent(error)) return { kind: 'refused', code: 'provider/not-found', message };
  const full = codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT';
  return { kind: 'refused', code: full ? 'disk/full' : 'provider/failed', message };
}

/** A request that an old holder left behind. The new holder may ask for the same job, so the claim becomes free again. */
function giveBack(supervision: Supervision, request: StartRequest, place: Place): StartReply {
  append(request, { claimed: null });
  rmSync(claimFile(request), { force: true });
  supervision.open.delete(request.base);
  const message = `holder ${place.epoch} took the place over from holder ${request.epoch}`;
  return { kind: 'refused', code: 'provider/fenced', message };
}

function doorCheck(request: StartRequest, place: Place | undefined): { exit: JobExit; reply: StartReply } | undefined {
  if (!place || place.releasing) {
    const message = 'the place was released before the job could start';
    return {
      exit: { kind: 'lost', evidence: `it was never started: ${message}` },
      reply: { kind: 'refused', code: 'provider/not-found', message },
    };
  }
  // The stop ended it before it began; that is how it reads in the record too.
  if (existsSync(request.cancelled)) return { exit: { kind: 'signalled', signal: 'SIGTERM' }, reply: { kind: 'started' } };
  return undefined;
}

function launch(supervision: Supervision, request: StartRequest, expiresAt: number): void {
  const { program, args } = commandOf(request);
  const startedAt = Date.now();
  const files = { out: outputFile(request, 'out'), err: outputFile(request, 'err') };
  const pipes = { out: supervision.pipes.take(), err: supervision.pipes.take() };
  const fail = async (error: unknown): Promise<void> => {
    const { end, line } = describeFailure(request, error, isDirectory(request.cwd));
    const capture = captureOutput(request.secrets, files, { unwritable: () => undefined });
    if (line !== undefined) capture.write('err', line);
    await capture.close();
    record(supervision, request, { ...end, startedAt, endedAt: Date.now() });
  };
  let child: ChildProcess;
  try {
    child = spawn(program, args, {
      cwd: request.cwd,
      env: request.env,
      detached: true,
      stdio: ['ignore', pipes.out?.writer ?? 'pipe', pipes.err?.writer ?? 'pipe'],
    });
  } catch (error) {
    abandon(pipes);
    void fail(error);
    return;
  }
  if (child.pid === undefined) {
    abandon(pipes);
    child.once('error', (error) => void fail(error));
    return;
  }
  const main = identityOf(child.pid);
  supervision.mains.add(main.pid);
  try {
    append(request, { main });
  } catch {
    // The mark finds the process too.
  }
  // From here on only the job can write, so its end is the pipes' end.
  for (const pipe of [pipes.out, pipes.err]) if (pipe) closeSync(pipe.writer);
  watchJob({
    request,
    child,
    main,
    startedAt,
    expiresAt,
    mains: supervision.mains,
    capture: (events) => captureOutput(request.secrets, files, events, sourcesOf(child, pipes)),
    ended: (exit) => record(supervision, request, exit),
  });
}

type JobPipes = Readonly<Record<'out' | 'err', Pipe | undefined>>;

function sourcesOf(child: ChildProcess, pipes: JobPipes): Partial<Record<'out' | 'err', Source>> {
  const out = pipes.out ? { pipe: pipes.out } : child.stdout && { stream: child.stdout };
  const err = pipes.err ? { pipe: pipes.err } : child.stderr && { stream: child.stderr };
  return { ...(out && { out }), ...(err && { err }) };
}

/** Nothing was started, so nobody has written. */
function abandon(pipes: JobPipes): void {
  for (const pipe of [pipes.out, pipes.err]) {
    if (!pipe) continue;
    closeSync(pipe.reader);
    closeSync(pipe.writer);
    pipe.reuse();
  }
}

/** On a full disk it is tried until it works; when the place is gone, nobody is left to read it. */
function record(supervision: Supervision, request: StartRequest, exit: JobExit): void {
  try {
    append(request, { exit });
  } catch (error) {
    if (!isAbsent(error)) {
      setTimeout(() => record(supervision, request, exit), 1_000);
      return;
    }
  }
  supervision.open.delete(request.base);
  supervision.ended(request.base, exit);
}

function outputFile(request: StartRequest, kind: 'out' | 'err'): number {
  const path = `${request.base}.${kind}`;
  moveSpare(request.placeDir, kind, path);
  return openSync(path, 'a', 0o600);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
