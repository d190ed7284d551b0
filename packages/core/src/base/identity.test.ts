import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseStat, systemIdentity } from './identity.ts';

test('a living process is not dead', () => {
  const identity = systemIdentity();
  expect(identity.self.started).toMatch(/\d/);
  expect(identity.isDead(identity.self)).toBe(false);
  expect(systemIdentity().self).toEqual(identity.self);
});

test('another start time means that the pid was given to somebody else', () => {
  const identity = systemIdentity();
  expect(identity.isDead({ ...identity.self, started: '1' })).toBe(true);
  expect(identity.isDead({ ...identity.self, started: 'unknown' })).toBe(false);
});

test('an ended process is dead, but only on the same machine', async () => {
  const identity = systemIdentity();
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const holder = { ...identity.self, pid: child.pid ?? 0, started: 'unknown' };
  expect(identity.isDead(holder)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(identity.isDead(holder)).toBe(true);
  expect(identity.isDead({ ...holder, machine: 'elsewhere' })).toBe(false);
});

test('a pid that names a group or nothing is never proven dead', () => {
  const identity = systemIdentity();
  for (const pid of [0, -1, Number.NaN]) expect(identity.isDead({ ...identity.self, pid })).toBe(false);
});

test('a zombie is dead although its pid is still taken', async () => {
  if (process.platform !== 'linux') return;
  const identity = systemIdentity();
  // The shell starts a child that ends with our pipe, and then becomes a program that never reaps it.
  const script = 'exec 3<&0; cat <&3 & echo $!; exec sleep 30 3<&-';
  const child = spawn('sh', ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const holder = { ...identity.self, pid: Number(line.toString()), started: 'unknown' };
    await expect.poll(() => readFileSync(`/proc/${child.pid}/comm`, 'utf8'), { timeout: 5000 }).toBe('sleep\n');
    expect(identity.isDead(holder)).toBe(false);
    child.stdin.end();
    await expect.poll(() => identity.isDead(holder), { timeout: 5000 }).toBe(true);
    expect(() => process.kill(holder.pid, 0)).not.toThrow();
  } finally {
    child.kill('SIGKILL');
  }
});

test.each([
  ['node', { started: '118686' }],
  ['a) R 1 (b', { started: '118686' }],
  ['with spaces\nand) lines', { started: '118686' }],
])('reads the start time of a process named %j', (name, expected) => {
  expect(parseStat(stat(name, 'S', 11))).toEqual(expected);
});

test('reads states', () => {
  expect(parseStat(stat('x', 'Z', 1))).toBe('gone');
  expect(parseStat(stat('x', 'X', 1))).toBe('gone');
  expect(parseStat(stat('x', 'Z', 4))).toEqual({ started: '118686' });
  expect(parseStat('')).toBe('unknown');
});

function stat(name: string, state: string, threads: number): string {
  const before = '1 2 3 0 -1 4194560 100 0 0 0 5 6 0 0 20 0';
  return `77 (${name}) ${state} ${before} ${threads} 0 118686 1000000 500 18446744073709551615\n`;
}
