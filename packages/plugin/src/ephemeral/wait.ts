import type { Ask, JobExit, Ref } from '@errand/contract';
import { sendHandle } from './job-handle.ts';
import { pauseOf } from './parts.ts';
import type { JobParts } from './parts.ts';
import { createLookout } from './status.ts';

/** Whoever reads the output rings when it stops; whoever sees the end rings for those who wait for the rest of it. */
export const outputBell = (name: string) => `output ${name}`;
export const endBell = (name: string) => `end ${name}`;

export async function waitForEnd(parts: JobParts, job: Ref<'job'>, ask: Ask): Promise<JobExit> {
  const handle = sendHandle(job);
  const look = createLookout(parts, handle);
  for (let round = 0; ; round++) {
    const { exit, message } = await look(ask.signal);
    if (exit) {
      parts.bells.ring(endBell(handle.name));
      if (message) ask.log(message);
      return exit;
    }
    // Its output has stopped, so it is ending: the next looks come soon.
    if (await parts.bells.wait(outputBell(handle.name), pauseOf(parts.patience, round), ask.signal)) round = -1;
  }
}
