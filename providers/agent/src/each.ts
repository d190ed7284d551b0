import type { Provider } from '@errand/contract';
import type { Agents } from './agents.ts';
import type { Connection } from './connection.ts';

/** What `work` gives for each known agent. One that fails does not hide the others; its error comes last. */
export async function* onEach<T>(
  agents: Agents,
  work: (connection: Connection, far: Provider) => AsyncIterable<T>,
): AsyncGenerator<T> {
  let trouble: Error | undefined;
  for (const connection of agents.known()) {
    try {
      yield* work(connection, await agents.at(connection));
    } catch (error) {
      trouble ??= error instanceof Error ? error : new Error(String(error));
    }
  }
  if (trouble) throw trouble;
}
