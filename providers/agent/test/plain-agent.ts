// An agent that knows only SandboxExecService, as others run them: it runs the command with this machine's shell, sends
// what it said, and kills it when the call is cancelled. It can be told to behave badly.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { ServerWritableStream, status } from '@grpc/grpc-js';
import { SandboxExecService, serviceDefinition } from '@errand/plugin';
import type { SandboxExecRequest } from '@errand/plugin';

export interface PlainAgent extends AsyncDisposable {
  readonly address: string;
  readonly requests: SandboxExecRequest[];
  readonly tokens: string[];
}

export interface Manners {
  /** Breaks the connection after the first output. */
  readonly breaks?: boolean;
  readonly refuses?: status;
  /** Ends the call without an exit code. */
  readonly forgets?: boolean;
}

type Call = ServerWritableStream<SandboxExecRequest, unknown>;

export async function startPlainAgent(path: string, manners: Manners = {}): Promise<PlainAgent> {
  const requests: SandboxExecRequest[] = [];
  const tokens: string[] = [];
  const server = new Server();
  server.addService(serviceDefinition(SandboxExecService), {
    exec(call: Call) {
      requests.push(call.request);
      tokens.push(String(call.metadata.get('authorization')[0] ?? ''));
      if (manners.refuses !== undefined) call.emit('error', { code: manners.refuses, details: 'no' });
      else void exec(call);
    },
  });

  async function exec(call: Call): Promise<void> {
    const [program = '', ...args] = call.request.command;
    const child = spawn(program, args, { env: { PATH: process.env['PATH'], ...call.request.env } });
    call.on('cancelled', () => child.kill('SIGKILL'));
    child.stdout.on('data', (bytes: Buffer) => {
      call.write({ chunk: { case: 'stdout', value: bytes } });
      if (manners.breaks) setTimeout(() => server.forceShutdown(), 50);
    });
    child.stderr.on('data', (bytes: Buffer) => call.write({ chunk: { case: 'stderr', value: bytes } }));
    const [code] = (await once(child, 'close')) as [number | null];
    if (!manners.forgets) call.write({ chunk: { case: 'exitCode', value: code ?? 137 } });
    call.end();
  }

  const address = `unix:${path}`;
  await new Promise<void>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve()));
  });
  return { address, requests, tokens, [Symbol.asyncDispose]: async () => server.forceShutdown() };
}
