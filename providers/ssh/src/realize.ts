// Filling a workspace. The files go into a new directory, which becomes the workspace when all of them are there: the far
// side cannot tell an archive that was cut off from a whole one, so it is told in a call of its own.
import { randomBytes } from 'node:crypto';
import type { Call, TreeEntry } from '@errand/contract';
import { packTree, writeTar } from '@errand/contract/tar';
import { answerOf } from './answer.ts';
import type { PlaceState } from './layout.ts';
import { reporting, trying } from './remote.ts';
import type { Remote } from './remote.ts';

export async function realize(remote: Remote, state: PlaceState, files: AsyncIterable<TreeEntry>, call: Call): Promise<void> {
  const args = [state.owner, state.place, call.epoch, randomBytes(6).toString('hex')];
  await trying(`tried to fill the workspace of the place ${state.place}`, async () => {
    await reporting(remote.target, () => send(remote, args, files, call));
    await remote.call('show', args, call);
  });
}

async function send(
  remote: Remote,
  args: readonly (string | number)[],
  files: AsyncIterable<TreeEntry>,
  { signal }: Call,
): Promise<void> {
  await using channel = await remote.open('unpack', args, signal);
  const answer = (async () => {
    for await (const rest of answerOf(channel)) void rest;
  })();
  let over = false;
  const done = answer.finally(() => (over = true));
  done.catch(() => undefined);
  try {
    // The owner in the archive means nothing there: the files become the user's.
    for await (const bytes of writeTar(packTree(files, signal), { uid: 0, gid: 0 })) {
      if (over) break;
      await Promise.race([channel.write(bytes), done]);
    }
  } catch (error) {
    signal.throwIfAborted();
    // What the far side said tells more than that it stopped listening.
    if (over) await answer;
    throw error;
  }
  channel.end();
  await answer;
  await channel.exit;
}
