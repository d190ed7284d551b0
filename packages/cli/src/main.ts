// The program's own edge: the process, its streams and signals. Everything else gets them passed in.
import { isatty } from 'node:tty';
import { errorText } from './errors.ts';
import { FAILED } from './exit-status.ts';
import { fileOutputs } from './file-output.ts';
import { runProgram } from './program.ts';
import { createSink } from './sink.ts';

const toFiles = fileOutputs(1, 2);
const out = createSink(toFiles.out ?? process.stdout);
const err = createSink(toFiles.err ?? process.stderr);

/** Ends the process explicitly: a forgotten handle must not keep a finished command alive. */
async function exit(status: number): Promise<never> {
  await Promise.all([out.flush(), err.flush()]);
  process.exit(status);
}

// What nobody waited for and nobody caught: said like any other error, and the run, if there is one, is recorded.
const fall = (error: unknown): void => {
  process.stderr.write(errorText(error, process.env['ERRAND_DEBUG'] === '1'));
  process.exit(FAILED);
};
process.on('uncaughtException', fall);
process.on('unhandledRejection', fall);

const status = await runProgram(
  {
    out,
    err,
    env: process.env,
    cwd: process.cwd(),
    now: Date.now,
    ...(isatty(0) &&
      isatty(2) && {
        ask: async (question, signal) => (await import('./ask.ts')).askPerson(question, signal),
      }),
    open: async (options) => (await import('./create-runtime.ts')).createRuntime(options),
    onInterrupt(listener) {
      const signals = ['SIGINT', 'SIGTERM'] as const;
      for (const signal of signals) process.on(signal, listener);
      return {
        [Symbol.dispose]: () => {
          for (const signal of signals) process.off(signal, listener);
        },
      };
    },
    leave: exit,
    startDetached: async (args) => (await import('./detached.ts')).startDetached(args),
  },
  process.argv.slice(2),
);
await exit(status);
