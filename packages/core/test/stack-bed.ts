// A runtime with an errand.yaml in a temporary directory, on the fake platform.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InfraStack, Runtime } from '@errand/core';
import { createFakeInfra, fakeInfraProvider } from '@errand/testkit';
import type { FakeInfra, FakeInfraOptions } from '@errand/testkit';
import { createRuntime } from '../src/runtime/create-runtime.ts';

export interface StackBed extends AsyncDisposable {
  readonly directory: string;
  readonly fake: FakeInfra;
  /** Writes the file and opens the stack anew, as the next command would. */
  write(infra: object, options?: { readonly env?: string }): Promise<InfraStack>;
  /** Opens one more, as another process would. */
  open(options?: { readonly env?: string; readonly token?: string }): Promise<InfraStack>;
}

export async function stackBed(options: FakeInfraOptions & { readonly version?: string } = {}): Promise<StackBed> {
  const directory = await mkdtemp(join(tmpdir(), 'errand-stack-'));
  const fake = createFakeInfra(options);
  const opened: (InfraStack | Runtime)[] = [];
  const file = join(directory, 'errand.yaml');
  const open: StackBed['open'] = async ({ token = 'tok-1', ...wanted } = {}) => {
    const runtime = await createRuntime({
      providers: [fakeInfraProvider(fake, 'fake', options.version ?? '0.1.0')],
      home: join(directory, 'home'),
      config: file,
      env: { HOME: directory, TOKEN: token, PATH: process.env['PATH'] },
      recover: false,
    });
    opened.push(runtime);
    const stack = await runtime.infra(wanted);
    opened.push(stack);
    return stack;
  };
  return {
    directory,
    fake,
    open,
    write: async (infra, wanted) => {
      await writeFile(file, JSON.stringify({ infra: { providers: { cloud: { use: 'fake' } }, ...infra } }));
      return open(wanted);
    },
    [Symbol.asyncDispose]: async () => {
      for (const one of opened.toReversed()) await one[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export function resource(type: string, config: object = {}, more: object = {}): object {
  return { type, provider: 'cloud', config, ...more };
}
