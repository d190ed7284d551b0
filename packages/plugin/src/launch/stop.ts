import type { Client } from '@grpc/grpc-js';
import { setTimeout as sleep } from 'node:timers/promises';
import { nothing } from '../transport/messages.ts';
import { controller } from '../transport/services.ts';
import type { PluginChild } from './child.ts';

export interface StopOptions {
  /** Milliseconds for the plugin to end by itself. */
  readonly grace: number;
  readonly log: (line: string) => void;
}

/** Between SIGTERM and SIGKILL, and between SIGKILL and giving up. */
const termPatience = 500;
const killPatience = 5000;

/**
 * Asks, then forces, then gives up. True when the process is gone; false when not even SIGKILL ended it, which is told in
 * the log: then its record stays, and the next start tries again.
 */
export async function stopChild(child: PluginChild, client: Client | undefined, { grace, log }: StopOptions): Promise<boolean> {
  if (client !== undefined) {
    askToEnd(client, grace);
    if (await endsWithin(child, grace)) return true;
    log(`the plugin process ${child.pid} did not end within ${grace} ms of being asked; it gets SIGTERM`);
  }
  child.signal('SIGTERM');
  if (await endsWithin(child, termPatience)) return true;
  child.signal('SIGKILL');
  if (await endsWithin(child, killPatience)) return true;
  log(`the plugin process ${child.pid} is still there ${killPatience} ms after SIGKILL; it was left to the next start`);
  return false;
}

/** The answer may be lost with the process; the end of the process is what counts. */
function askToEnd(client: Client, grace: number): void {
  const { path, requestSerialize, responseDeserialize } = controller.shutdown;
  client.makeUnaryRequest(
    path,
    requestSerialize,
    responseDeserialize,
    nothing,
    { deadline: Date.now() + grace },
    () => undefined,
  );
}

async function endsWithin(child: PluginChild, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  const gone = await Promise.race([child.ended.then(() => true), late]);
  timer.abort();
  return gone;
}
