import { createInterface } from 'node:readline/promises';

/** On stderr, so that stdout stays the data. Ctrl-C, Ctrl-D and the signal are an answer, too: undefined. */
export async function askPerson(question: string, signal: AbortSignal): Promise<string | undefined> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const left = new Promise<undefined>((resolve) => {
    terminal.once('close', () => resolve(undefined));
    terminal.once('SIGINT', () => resolve(undefined));
  });
  try {
    return await Promise.race([terminal.question(question, { signal }), left]);
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    terminal.close();
  }
}
