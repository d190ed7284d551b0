// The README's section about other places, run as it stands; only the names of the image and the machine are ours.
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findBed } from '../../../../providers/docker/test/bed.ts';
import { missingSshd, startSshd } from '../../../../providers/ssh/test/sshd.ts';
import { matches, parseTranscript, runTranscript } from './transcript.ts';

const root = resolve(import.meta.dirname, '../../../..');
const base = realpathSync(mkdtempSync(join(tmpdir(), 'errand-elsewhere-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

test('one word changes, the rest is the same', async ({ skip }) => {
  const bed = await findBed();
  const missing = typeof bed === 'string' ? bed : missingSshd();
  if (missing !== undefined && process.env['CI']) throw new Error(missing);
  if (missing !== undefined || typeof bed === 'string') return skip(missing);
  await using sshd = await startSshd();
  const ssh = join(base, '.ssh');
  mkdirSync(ssh, { mode: 0o700 });
  writeFileSync(join(ssh, 'known_hosts'), `${sshd.knownLine}\n`);
  await copyFile(sshd.identity, join(ssh, 'id_ed25519'));

  const [section = ''] = /\n## The same elsewhere\n[^]*?(?=\n## )/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  const machine = `host: 127.0.0.1, port: ${sshd.port}, root: ${sshd.root}, user: ${userInfo().username}`;
  const ours = section.replace('image: busybox', `image: ${bed.image}`).replace('host: build.example.com, user: ci', machine);
  const steps = parseTranscript(ours);
  expect(steps.length).toBeGreaterThan(8);
  const own = Object.entries(process.env).filter(([name]) => !/^(ERRAND_|XDG_|SSH_|npm_|NODE_|VITEST)/.test(name));
  const env = { ...Object.fromEntries(own), HOME: base, NO_COLOR: '1', DOCKER_HOST: bed.address };
  const path = `${join(root, 'node_modules/.bin')}:${process.env['PATH']}`;
  const scratch = mkdtempSync(join(base, 'scratch-'));
  const outcomes = await runTranscript(steps, { cwd: base, env: { ...env, PATH: path }, scratch, limit: 120_000 });
  for (const [index, step] of steps.entries()) {
    const outcome = outcomes[index];
    const printed = matches(step.expected, outcome?.output ?? '') ? step.expected.join('\n') : outcome?.output;
    expect({ step: step.text, printed, status: step.mayFail ? 0 : outcome?.status }).toEqual({
      step: step.text,
      printed: step.expected.join('\n'),
      status: 0,
    });
  }
});
