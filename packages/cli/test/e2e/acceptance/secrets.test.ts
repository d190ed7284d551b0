// A secret's value rests nowhere: the bytes of every file below the data directory, every argument of every process and
// all that Errand prints are searched, while the run goes on and after it.
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Ended, Started } from '../errand.ts';
import { makeWorld, onlyRun, until } from './world.ts';
import type { World } from './world.ts';

/** A shell's echo may change what it prints, so scripts use printf. Quotes and backslashes look different in JSON; the core in the middle looks the same everywhere. */
const core = randomBytes(12).toString('hex');
const value = `p"'\\ ${core} \\n$é–9`;

function filesWith(directory: string, text: string): string[] {
  const found: string[] = [];
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const path = join(directory, name);
    try {
      if (name.includes(text) || (statSync(path).isFile() && readFileSync(path).includes(text))) found.push(name);
    } catch {
      // Removed since it was listed.
    }
  }
  return found;
}

function argumentsWith(text: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const cmdline = readFileSync(`/proc/${pid}/cmdline`).toString();
        return cmdline.includes(text) ? [cmdline] : [];
      } catch {
        return [];
      }
    });
}

/** Looks again and again until the work is over; at least once while it is not. */
async function searchedDuring<T>(world: World, work: Promise<T>): Promise<T> {
  let over = false;
  let looks = 0;
  const searching = (async () => {
    while (!over) {
      expect([...filesWith(world.home, core), ...argumentsWith(core)]).toEqual([]);
      looks += 1;
      await sleep(100);
    }
  })();
  const [result] = await Promise.all([work.finally(() => (over = true)), searching]);
  expect(looks).toBeGreaterThan(0);
  return result;
}

const clean = (ended: Ended) => {
  expect(ended.out + ended.err).not.toContain(core);
  return ended;
};

/** What is kept of the run, as it is told and as it lies there. */
async function expectClean(world: World, id: string, more: readonly (readonly string[])[] = []): Promise<void> {
  for (const args of [['show', '--json', id], ['logs', '--json', id], ...more]) clean(await world.errand(...args));
  expect(filesWith(world.home, core)).toEqual([]);
}

const withSecret = ['--secret', 'TOKEN=secret://env/THE_TOKEN'];
const makeSecretWorld = async () => {
  const world = await makeWorld({ THE_TOKEN: value });
  await mkdir(world.home, { mode: 0o700 });
  return world;
};

/** The script got the value itself, and not what we print of it. */
const length = Buffer.from(value).length;
const proof = `[ "$(printf %s "$TOKEN" | wc -c)" -eq ${length} ] || exit 99; `;

const pieces = (to: string) =>
  `for i in $(seq 1 ${length}); do printf %s "$TOKEN" | tail -c +$i | head -c 1${to}; [ $((i % 12)) -ne 0 ] || sleep 0.1; done`;

const scripts: [string, string, RegExp][] = [
  ['plain', `printf '%s\\n' "$TOKEN"; sleep 0.2`, /^\[redacted\]\n$/],
  ['on both streams', 'printf "<%s>" "$TOKEN"; printf "<%s>" "$TOKEN" >&2; sleep 0.2', /^<\[redacted\]>$/],
  ['byte by byte, with pauses', pieces(''), /^\[redacted\]$/],
  ['byte by byte on stderr', pieces(' >&2'), /^$/],
  [
    'a hundred times',
    `for i in $(seq 1 100); do printf '%s\\n' "$i $TOKEN $TOKEN"; done; sleep 0.2`,
    /^(\d+ \[redacted\] \[redacted\]\n){100}$/,
  ],
  ['in the message of a program that failed', 'sleep 0.2; (: "${NOTHING:?$TOKEN}"); (cd "/nowhere/$TOKEN")', /^$/],
  ['as the program itself', 'sleep 0.2; "$TOKEN"', /^$/],
];

describe('a job that prints it', () => {
  test.concurrent.each(scripts)('%s', async (_name, script, out) => {
    await using world = await makeSecretWorld();
    const run = await searchedDuring(world, world.errand('run', ...withSecret, '--script', `${proof}${script}; exit 5`));
    expect(clean(run).status).toBe(5);
    expect(run.out).toMatch(out);
    await expectClean(world, await onlyRun(world));
  });
});

test.concurrent('with --json', async () => {
  await using world = await makeSecretWorld();
  const run = await world.errand('run', '--json', ...withSecret, '--script', `${proof}printf '%s\\n' "$TOKEN"; exit 5`);
  expect(clean(run)).toMatchObject({ status: 5, err: '[redacted]\n' });
  const id = await onlyRun(world);
  const asked = [['show', id], ['runs'], ['runs', '--json'], ['leases', '--all', '--json'], ['logs', id], ['wait', '--json', id]];
  await expectClean(world, id, [...asked, ['cancel', '--json', id], ['sweep', '--json']]);
});

test.concurrent('with --detach', async () => {
  await using world = await makeSecretWorld();
  const script = `${proof}for i in 1 2 3 4 5; do printf '%s\\n' "$TOKEN"; sleep 0.1; done; exit 5`;
  const id = clean(await searchedDuring(world, world.errand('run', '--detach', ...withSecret, '--script', script))).out.trim();
  expect(clean(await searchedDuring(world, world.errand('wait', id))).status).toBe(5);
  expect((await world.errand('logs', id)).out).toBe('[redacted]\n'.repeat(5));
  await expectClean(world, id);
});

test.concurrent('from a file, in a config, in a standing place', async () => {
  await using world = await makeSecretWorld();
  const secrets = join(world.directory, 'config', 'errand', 'secrets');
  await mkdir(secrets, { recursive: true, mode: 0o700 });
  await writeFile(join(secrets, 'token'), `${value}\n`, { mode: 0o600 });
  await chmod(join(secrets, 'token'), 0o600);
  const config = 'environments:\n  ci: { provider: local, env: { TOKEN: { secret: secret://file/token } } }\n';
  await writeFile(join(world.directory, 'errand.yaml'), config);
  const how = { env: { XDG_CONFIG_HOME: join(world.directory, 'config'), THE_TOKEN: undefined } };
  const lease = clean(await world.startWith(how, 'lease', 'acquire', 'ci').ended).out.trim();
  const exec = world.startWith(how, 'lease', 'exec', lease, '--script', `${proof}printf '%s\\n' "$TOKEN"; exit 5`);
  expect(clean(await searchedDuring(world, exec.ended))).toMatchObject({ status: 5, out: '[redacted]\n' });
  await expectClean(world, await onlyRun(world));
  expect((await world.errand('lease', 'release', lease)).status).toBe(0);
});

describe('SIGKILL of Errand in the middle', () => {
  // The second half is printed when nobody of those who know the value is left but the supervisor.
  test.concurrent.each([
    ['taken over by one that knows it', {}],
    ['taken over by one that does not', { env: { THE_TOKEN: undefined } }],
  ])('%s', async (_name, how) => {
    await using world = await makeSecretWorld();
    const go = join(world.directory, 'go');
    const script = `${proof}echo begin; printf %s "$TOKEN" | head -c 20; until [ -e ${go} ]; do sleep 0.05; done
      printf %s "$TOKEN" | tail -c +21; echo; printf '%s\\n' "$TOKEN" >&2; exit 5`;
    const run: Started = world.start('run', ...withSecret, '--script', script);
    await run.says('begin');
    await sleep(300);
    run.child.kill('SIGKILL');
    clean(await run.ended);
    const id = await onlyRun(world);
    const waiting = world.startWith(how, 'wait', id).ended;
    await sleep(300);
    await writeFile(go, '');
    expect(clean(await searchedDuring(world, waiting)).status).toBe(5);
    expect(await world.errand('logs', id)).toMatchObject({ out: 'begin\n[redacted]\n', err: '[redacted]\n' });
    await expectClean(world, id);
  });

  test.concurrent('and it ended while nobody watched', async () => {
    await using world = await makeSecretWorld();
    const run = world.start('run', ...withSecret, '--script', `${proof}echo begin; sleep 0.5; printf '%s\\n' "$TOKEN"; exit 5`);
    await run.says('begin');
    run.child.kill('SIGKILL');
    await run.ended;
    await until('nothing is alive', () => world.living().length === 0);
    expect(filesWith(world.home, core)).toEqual([]);
    const id = await onlyRun(world);
    expect((await world.startWith({ env: { THE_TOKEN: undefined } }, 'wait', id).ended).status).toBe(5);
    await expectClean(world, id);
  });
});
