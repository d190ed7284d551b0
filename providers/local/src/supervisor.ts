// The supervisor: one small program per opened provider, in a session of its own. It starts the jobs, ends them at
// their deadline, memory limit or lease expiry, and writes down how each one ended. It outlives the Errand process
// that launched it, even a SIGKILL of it, until its last job is over.
import { Socket } from 'node:net';
import { createPipes } from './pipes.ts';
import { identityOf } from './processes.ts';
import type { Reply, StartRequest } from './protocol.ts';
import { startJob } from './supervised-job.ts';
import type { Supervision } from './supervised-job.ts';

/** Exits are also in the files; when nobody reads them here they are dropped rather than hoarded. */
const unreadLimit = 1 << 20;

for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);

const supervision: Supervision = {
  self: identityOf(process.pid),
  open: new Set(),
  mains: new Set(),
  pipes: createPipes(),
  ended: (base, exit) => {
    tell({ base, exit });
    leaveWhenDone();
  },
};
let listening = true;

// Not process.stdout: that one would block the supervisor while Errand is stopped and reads nothing.
const output = new Socket({ fd: 1, readable: false, writable: true });
output.on('error', () => output.destroy());

function tell(reply: Reply): void {
  const hoarding = 'exit' in reply && output.writableLength > unreadLimit;
  if (!output.destroyed && !hoarding) output.write(`${JSON.stringify(reply)}\n`);
}

function take(line: string): void {
  let request: StartRequest;
  try {
    request = JSON.parse(line) as StartRequest;
  } catch {
    return;
  }
  tell({ id: request.id, reply: startJob(supervision, request) });
  leaveWhenDone();
}

function leaveWhenDone(): void {
  if (!listening && supervision.open.size === 0) process.exit(0);
}

let rest = '';
const input = new Socket({ fd: 0, readable: true, writable: false });
input.setEncoding('utf8');
input.on('data', (text: string) => {
  const lines = (rest + text).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) take(line);
});
for (const event of ['end', 'error', 'close'] as const) {
  input.on(event, () => {
    listening = false;
    leaveWhenDone();
  });
}
