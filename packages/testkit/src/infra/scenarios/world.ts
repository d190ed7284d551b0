// A stack on the fake platform, with a real state in a temporary home; what lies between the two is the subject's.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attributes, Infra } from '@errand/contract';
import { createRuntime } from '@errand/core';
import type { ApplyResult, InfraStack, Runtime } from '@errand/core';
import { createFakeInfra, fakeInfraProvider } from '../fake-infra.ts';
import type { FakeCall, FakeInfra } from '../fake-infra.ts';

/** The way from the engine to the platform and back. */
export interface InfraRoute {
  /** Gives the platform as the engine will see it. In process that is the platform itself. */
  connect(infra: Infra): Promise<{ readonly infra: Infra } & AsyncDisposable>;
  /** A driver can say over it that it updates what is there already. */
  readonly tellsUpserts: boolean;
}

export interface Resource {
  readonly type: string;
  readonly config?: Attributes;
  readonly protected?: boolean;
  readonly adopt?: boolean;
  readonly depends_on?: readonly string[];
}

export interface InfraWorld {
  readonly fake: FakeInfra;
  readonly route: InfraRoute;
  /** Writes the file and opens the stack anew, as the next command would. */
  readonly want: (
    resources: Readonly<Record<string, Resource>>,
    variables?: Readonly<Record<string, string>>,
  ) => Promise<InfraStack>;
  /** The same, planned and applied; every step is done. */
  readonly make: (resources: Readonly<Record<string, Resource>>) => Promise<ApplyResult>;
  /** What came to the platform since the last time, of calls that change something. */
  readonly changes: () => readonly FakeCall[];
}

export interface InfraScenario {
  readonly name: string;
  run(world: InfraWorld): Promise<void>;
}

const changing: ReadonlySet<string> = new Set(['create', 'update', 'delete', 'replace', 'scale']);

export async function openInfraWorld(route: InfraRoute): Promise<InfraWorld & AsyncDisposable> {
  const directory = await mkdtemp(join(tmpdir(), 'errand-scenario-'));
  const fake = createFakeInfra();
  const connected = await route.connect(fake.infra);
  const opened: (InfraStack | Runtime)[] = [];
  const file = join(directory, 'errand.yaml');
  let told = 0;
  const want: InfraWorld['want'] = async (resources, variables = {}) => {
    const written = Object.entries(resources).map(([name, one]) => [name, { provider: 'cloud', ...one }] as const);
    const infra = { providers: { cloud: { use: 'fake' } }, resources: Object.fromEntries(written) };
    await writeFile(file, JSON.stringify({ infra }, undefined, 1));
    const runtime = await createRuntime({
      providers: [fakeInfraProvider({ ...fake, infra: connected.infra })],
      home: join(directory, 'home'),
      config: file,
      env: { HOME: directory, PATH: process.env['PATH'], ...variables },
      recover: false,
    });
    opened.push(runtime);
    const stack = await runtime.infra();
    opened.push(stack);
    return stack;
  };
  return {
    fake,
    route,
    want,
    async make(resources) {
      const stack = await want(resources);
      const result = await stack.apply(await stack.plan());
      const failed = result.outcomes.filter(({ status }) => status !== 'done');
      if (failed.length > 0) throw new Error(`steps failed: ${JSON.stringify(failed)}`);
      return result;
    },
    changes() {
      const since = fake.calls.slice(told).filter(({ method }) => changing.has(method));
      told = fake.calls.length;
      return since;
    },
    async [Symbol.asyncDispose]() {
      for (const one of opened.toReversed()) await one[Symbol.asyncDispose]();
      await connected[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
