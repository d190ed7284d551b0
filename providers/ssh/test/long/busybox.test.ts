// The same promises where the far side has nothing but busybox: its sh, its tar, its grep.
import { hostConformance, runnerConformance } from '@errand/testkit';
import { sshProvider } from '@errand/provider-ssh';
import { afterAll } from 'vitest';
import { busyboxTools } from '../busybox.ts';
import { missingSshd, startSshd } from '../sshd.ts';

const tools = await busyboxTools();
const missing = missingSshd() ?? (typeof tools === 'string' ? tools : undefined);
const sshd = missing === undefined && typeof tools !== 'string' ? await startSshd([], tools.path) : undefined;
afterAll(async () => {
  await sshd?.[Symbol.asyncDispose]();
  if (typeof tools !== 'string') await tools[Symbol.asyncDispose]();
});

const subject = {
  open: (home: string) => sshProvider.open({ home, signal: new AbortController().signal }),
  missing,
  ...(sshd ? { options: sshd.options } : {}),
};
runnerConformance('ssh to busybox', subject);
hostConformance('ssh to busybox', subject);
