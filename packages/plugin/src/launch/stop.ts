import type { ChildProcess } from 'node:child_process';
import { Metadata } from '@grpc/grpc-js';
import type { Client } from '@grpc/grpc-js';
import { GRPCController } from '../gen/plugin/grpc_controller_pb.js';
import { methodDefinition } from '../wire/definition.ts';

/** `abandoned`: it outlived SIGKILL for a while, as in an uninterruptible wait; nothing more can be done from here. */
export type Ended = 'asked' | 'forced' | 'abandoned';

const patience = { ask: 2_000, force: 2_000 };

/** Ends the program and its group. One that never spoke is not asked. */
export async function stopProgram(child: ChildProcess, ended: Promise<string>, client: Client | undefined): Promise<Ended> {
  if (client && isRunning(child)) askToEnd(client);
  if (client && (await isOver(ended, patience.ask))) return 'asked';
  if (isRunning(child)) killGroup(child);
  return (await isOver(ended, patience.force)) ? 'forced' : 'abandoned';
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function askToEnd(client: Client): void {
  const { path, requestSerialize, responseDeserialize } = methodDefinition(GRPCController.method.shutdown);
  const options = { deadline: Date.now() + patience.ask };
  // Go plugins end while they answer, so an error says nothing.
  client.makeUnaryRequest(path, requestSerialize, responseDeserialize, {}, new Metadata(), options, () => undefined);
}

/** Only while the program runs, or at the moment of its end. */
export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody is left in it.
  }
}

async function isOver(ended: Promise<string>, within: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(late.resolve, within, false);
  try {
    return await Promise.race([ended.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
