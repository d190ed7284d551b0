// What a runner scenario has to work with: an opened provider, a place if the provider has places, and short ways to
// ask for jobs. Scenarios assume a POSIX /bin/sh where the job runs, and nothing else.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  Ask,
  Capabilities,
  Command,
  Handle,
  JobExit,
  JobSpec,
  Json,
  LogChunk,
  Provider,
  Ref,
  Runner,
  SecretCall,
  Stream,
} from '@errand/contract';

export interface ProviderSubject {
  /** Opens the provider. The same home once more stands for a fresh process. */
  readonly open: (home: string) => Promise<Provider>;
  readonly options?: Json;
  readonly image?: string;
  /** Places are asked for as standing ones: many jobs will come. */
  readonly standing?: boolean;
  /** It is reached by the public contract alone, which has no word for some of what is asked here. */
  readonly publicOnly?: boolean;
  /** A part that this machine lacks: every scenario is skipped for it, and fails where CI is set. */
  readonly missing?: string | undefined;
  /** Scenario → why this backend cannot pass it. The reason is printed. */
  readonly skips?: Readonly<Record<string, string>>;
}

/** Why a scenario is not run; undefined when it is. */
export function skipReason(subject: ProviderSubject, scenario: string): string | undefined {
  if (subject.missing !== undefined && process.env['CI']) throw new Error(subject.missing);
  return subject.missing ?? subject.skips?.[scenario];
}

export type SpecChange = Partial<Omit<JobSpec, 'command'>>;

export interface StartedJob {
  readonly key: string;
  readonly ref: Ref<'job'>;
  exit(): Promise<JobExit>;
  /** The whole output, waiting for the end. */
  output(): Promise<Output>;
  stop(how: 'ask' | 'force'): Promise<void>;
  /** Resolves when the text was seen in the job's stdout while it runs. */
  says(text: string): Promise<void>;
}

export interface Output {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly chunks: readonly LogChunk[];
}

export interface RunnerWorld extends AsyncDisposable {
  readonly home: string;
  readonly owner: string;
  readonly provider: Provider;
  readonly runner: Runner;
  readonly capabilities: Capabilities;
  readonly place: Handle<'place'> | undefined;
  readonly ask: Ask;
  /** As a fresh process would find it. */
  reopen(): Promise<Provider>;
  newKey(): string;
  call(key: string, change?: Partial<SecretCall>): SecretCall;
  spec(command: Command, change?: SpecChange): JobSpec;
  start(command: Command | string, change?: SpecChange): Promise<StartedJob>;
  /** A job that was started by somebody else. */
  job(runner: Runner, ref: Ref<'job'>): StartedJob;
  /** What a script prints, run to its end in the same place. */
  print(script: string): Promise<string>;
}

export const secretReference = 'secret://test/value';
export const secretValue = 'correct-horse-battery-staple';

export async function openRunnerWorld(subject: ProviderSubject): Promise<RunnerWorld> {
  const home = await mkdtemp(join(tmpdir(), 'errand-runner-'));
  const owner = `owner-${randomUUID()}`;
  const opened: Provider[] = [];
  const open = async () => {
    const provider = await subject.open(home);
    opened.push(provider);
    return provider;
  };
  const provider = await open();
  const { runner, host } = provider;
  if (!runner) throw new Error('the provider offers no runner');
  const ask: Ask = { signal: new AbortController().signal, log: () => undefined };
  const call = (key: string, change: Partial<SecretCall> = {}): SecretCall => ({
    ...ask,
    key,
    epoch: 1,
    secret: async (reference) => (reference === secretReference ? secretValue : ''),
    ...change,
  });
  const placeKey = `place-${randomUUID()}`;
  const place = await host?.acquire(
    {
      owner,
      expiresAt: Date.now() + 600_000,
      resources: {},
      labels: {},
      options: subject.options ?? {},
      ...imageOf(subject),
      ...(subject.standing === undefined ? {} : { standing: subject.standing }),
    },
    call(placeKey),
  );
  const spec = (command: Command, change: SpecChange = {}): JobSpec => ({
    owner,
    command,
    env: {},
    secretEnv: {},
    resources: {},
    grace: 2_000,
    labels: {},
    options: subject.options ?? {},
    ...imageOf(subject),
    ...(place ? { place } : {}),
    ...change,
  });
  const job = (by: Runner, ref: Ref<'job'>): StartedJob => ({
    key: ref.key,
    ref,
    exit: () => by.wait(ref, ask),
    output: () => gather(by.logs(ref, undefined, ask)),
    stop: (how) => by.stop(ref, how, call(ref.key)),
    says: (text) => waitForText(by.logs(ref, undefined, ask), text),
  });
  const start = async (command: Command | string, change: SpecChange = {}): Promise<StartedJob> => {
    const key = `job-${randomUUID()}`;
    const asked = spec(typeof command === 'string' ? { script: command } : command, change);
    return job(runner, { key, handle: await runner.start(asked, call(key)) });
  };
  return {
    home,
    owner,
    provider,
    runner,
    capabilities: provider.capabilities,
    place,
    ask,
    reopen: open,
    newKey: () => `job-${randomUUID()}`,
    call,
    spec,
    start,
    job,
    print: async (script) => (await (await start(script)).output()).stdout.toString(),
    async [Symbol.asyncDispose]() {
      await host?.release({ key: placeKey }, call(placeKey, { epoch: 1_000 }));
      for (const one of opened) await one[Symbol.asyncDispose]();
      await rm(home, { recursive: true, force: true });
    },
  };
}

function imageOf(subject: ProviderSubject) {
  return subject.image === undefined ? {} : { image: subject.image };
}

export async function gather(chunks: AsyncIterable<LogChunk>): Promise<Output> {
  const all: LogChunk[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return { stdout: joinStream(all, 'stdout'), stderr: joinStream(all, 'stderr'), chunks: all };
}

export function joinStream(chunks: readonly LogChunk[], stream: Stream): Buffer {
  return Buffer.concat(chunks.filter((chunk) => chunk.stream === stream).map((chunk) => chunk.bytes));
}

async function waitForText(chunks: AsyncIterable<LogChunk>, text: string): Promise<void> {
  let seen = '';
  for await (const chunk of chunks) {
    if (chunk.stream === 'stdout') seen += Buffer.from(chunk.bytes).toString('latin1');
    if (seen.includes(text)) return;
  }
  throw new Error(`the job ended without saying ${JSON.stringify(text)}; it said ${JSON.stringify(seen)}`);
}
