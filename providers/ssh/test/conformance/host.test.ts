import { hostConformance } from '@errand/testkit';
import { sshProvider } from '@errand/provider-ssh';
import { afterAll } from 'vitest';
import { missingSshd, startSshd } from '../sshd.ts';

const missing = missingSshd();
const sshd = missing === undefined ? await startSshd() : undefined;
afterAll(() => sshd?.[Symbol.asyncDispose]());

hostConformance('ssh', {
  open: (home) => sshProvider.open({ home, signal: new AbortController().signal }),
  missing,
  ...(sshd ? { options: sshd.options } : {}),
});
