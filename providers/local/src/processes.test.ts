import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { fromPs, hasMark, identityOf, isAlive, listProcesses, onLinux, processOf } from './processes.ts';

test('a process is known by pid and start time, until it ends', async () => {
  const child = spawn('sleep', ['30'], { detached: true });
  const pid = child.pid ?? 0;
  const identity = identityOf(pid);
  expect(isAlive(identity)).toBe(true);
  expect(isAlive({ ...identity, started: 'another boot:1' })).toBe(false);
  expect(processOf(pid)).toMatchObject({ group: pid, session: pid, parent: process.pid });
  expect(listProcesses().some((one) => one.pid === pid)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isAlive(identity)).toBe(false);
});

test('a name with spaces and brackets does not shift the fields', async ({ skip }) => {
  if (!onLinux) skip('reads /proc');
  const child = spawn(process.execPath, ['-e', "process.title = 'a) b (c'; setTimeout(() => {}, 30000); console.log('up')"], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  await once(child.stdout, 'data');
  expect(processOf(child.pid ?? 0)).toMatchObject({ group: child.pid, parent: process.pid });
  child.kill('SIGKILL');
});

test('a mark in the environment is found, also in a child that left the session', async ({ skip }) => {
  if (!onLinux) skip('reads /proc');
  const child = spawn('sh', ['-c', 'setsid sleep 30 & echo $!; wait'], {
    env: { PATH: process.env['PATH'], MARK: 'mark-4711' },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const grandchild = Number(text.toString());
  expect(hasMark(grandchild, 'mark-4711')).toBe(true);
  expect(hasMark(grandchild, 'mark-0815')).toBe(false);
  expect(hasMark(process.pid, 'mark-4711')).toBe(false);
  process.kill(grandchild, 'SIGKILL');
  child.kill('SIGKILL');
});

test('ps tells the same where there is no /proc', ({ skip }) => {
  const all = fromPs(['-A']);
  if (all.length === 0) skip('there is no ps on this machine');
  const self = all.find((one) => one.pid === process.pid);
  expect(self).toMatchObject({ parent: process.ppid });
  expect(self?.started).toMatch(/\d{4}$/);
  expect(fromPs(['-p', '999999999'])).toEqual([]);
});
