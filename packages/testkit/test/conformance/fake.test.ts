import { systemPorts } from '@errand/core';
import { createFakeCloud, fakeProvider, fileBacking, hostConformance, runnerConformance } from '@errand/testkit';
import { join } from 'node:path';
import { shellWords } from './shell-words.ts';

/** The same home once more is another process on the same cloud. */
async function open(home: string) {
  const { clock } = systemPorts();
  const cloud = createFakeCloud({ clock, commands: shellWords, backing: fileBacking(join(home, 'cloud.db')) });
  const provider = await fakeProvider(cloud).open({ home, signal: new AbortController().signal });
  return { ...provider, [Symbol.asyncDispose]: async () => cloud[Symbol.dispose]() };
}

const noShell = 'the fake plays scripted jobs and has no shell to run this in';
const noHandler = 'a scripted job cannot answer a signal';

runnerConformance('fake', {
  open,
  skips: {
    'a file that cannot be executed is exit 126 with a line on stderr': noShell,
    'argv arrives unchanged: spaces, quotes, newlines, $, empty, non-ASCII, 100 KB': noShell,
    'a script goes through a shell': noShell,
    'the environment has what was asked for, exactly, and nothing of the host’s own': noShell,
    'stdin is empty, not a terminal and not ours': noShell,
    'a burst of 1 MB right before the end is all there': noShell,
    'a line of 300 KB and an end without newline are unchanged': noShell,
    '5 MB of random bytes have the same SHA-256 on both sides': noShell,
    'following again after any cursor gives every later byte once': noShell,
    'opening /dev/stdout and /dev/stderr anew adds to the output, with and without secrets': noShell,
    'ask lets a job end itself': noHandler,
    'force ends every process of the job: children, grandchildren, and one that left the session': noShell,
    'what a job leaves in the background is gone when wait says so, and the exit is that of its main process': noShell,
    'a job that was suspended ends by force': noShell,
    'the far side ends a job at its deadline: ask, grace, force': noHandler,
    'a secret reaches the job and is in no log and no file of ours, however it was written out': noShell,
  },
});

hostConformance('fake', {
  open,
  skips: {
    'files arrive with content, mode, links, empty directories and non-ASCII names': noShell,
    'collect gives links as links and never follows one': noShell,
    'a release removes what a job made read-only': noShell,
  },
});
