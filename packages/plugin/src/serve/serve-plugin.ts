// A provider as a program: cookie, services, handshake line, and an end when the host says so or is gone.
import { Server } from '@grpc/grpc-js';
import { setTimeout as sleep } from 'node:timers/promises';
import { isErrandError } from '@errand/contract';
import { formatHandshake } from '../handshake/line.ts';
import type { Endpoint } from '../handshake/line.ts';
import { messageLimits } from '../transport/limits.ts';
import { refusalByHand } from './cookie-check.ts';
import { watchHost } from './host-watch.ts';
import { listen } from './listen.ts';
import type { Listening } from './listen.ts';
import { addTransportServices } from './transport-services.ts';

export interface PluginProgram {
  readonly name: string;
  /** Adds the services; the result is disposed of when the plugin ends. Called once, before the handshake. */
  readonly open: (server: Server) => Promise<AsyncDisposable>;
  /** Default: `unix`, on Windows `tcp`. */
  readonly network?: Endpoint['network'];
}

/** How long calls in progress, and then the provider, have to finish when the plugin ends. Hosts wait two seconds in all. */
const callPatience = 300;
const closePatience = 1200;

/** Runs until the host ends it; then the process exits. Resolves when the handshake is out. */
export async function servePlugin(program: PluginProgram): Promise<void> {
  const refusal = refusalByHand(program.name, process.env);
  if (refusal !== undefined) {
    process.stderr.write(`${refusal}\n`);
    process.exit(1);
  }
  // The host may be gone while we write, and the terminal's Ctrl-C is the host's business.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  process.on('SIGINT', () => undefined);
  try {
    await run(program);
  } catch (error) {
    const next = isErrandError(error) && error.next !== undefined ? `\n  next: ${error.next}` : '';
    process.stderr.write(`${program.name}: could not start: ${(error as Error).message}${next}\n`);
    process.exit(1);
  }
}

async function run(program: PluginProgram): Promise<void> {
  const server = new Server(messageLimits);
  let ending = false;
  let opened: AsyncDisposable | undefined;
  let listening: Promise<Listening> | undefined;
  const end = () => {
    if (ending) return;
    ending = true;
    void (async () => {
      endStreams();
      await Promise.race([new Promise<void>((resolve) => server.tryShutdown(() => resolve())), sleep(callPatience)]);
      server.forceShutdown();
      await Promise.race([opened?.[Symbol.asyncDispose](), sleep(closePatience)]);
      await (await listening?.catch(() => undefined))?.clear();
    })()
      .catch((error: unknown) => process.stderr.write(`${program.name}: ${(error as Error).message}\n`))
      .finally(() => process.exit(0));
  };
  const { endStreams } = addTransportServices(server, end);
  watchHost(process.env, end);
  process.once('SIGTERM', end);
  opened = await program.open(server);
  listening = listen(server, process.env, program.network ?? (process.platform === 'win32' ? 'tcp' : 'unix'));
  const { handshake } = await listening;
  process.stdout.write(`${formatHandshake(handshake)}\n`);
}
