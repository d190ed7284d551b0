import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '../expect.ts';
import type { RunnerScenario } from './scenario.ts';
import { secretReference, secretValue } from './world.ts';

export const secrets: RunnerScenario = {
  name: 'a secret reaches the job and is in no log and no file of ours, however it was written out',
  unless: (has) => (has.redactsLogs ? undefined : 'its logs are redacted by the engine'),
  async run(world) {
    const half = Math.floor(secretValue.length / 2);
    const script = [
      `test "\${#TOKEN}" = ${secretValue.length} && echo right length`,
      'echo "it is $TOKEN."',
      'echo "err $TOKEN" >&2',
      `printf %s "$(printf %s "$TOKEN" | cut -c1-${half})"; sleep 0.2; printf '%s\\n' "$(printf %s "$TOKEN" | cut -c${half + 1}-)"`,
      'for i in 1 2 3; do printf %s "$TOKEN"; done; echo',
      'head -c 200000 /dev/zero | tr "\\000" y; echo "$TOKEN"',
    ].join('\n');
    const job = await world.start(script, { secretEnv: { TOKEN: secretReference } });
    expect(await job.exit()).toMatchObject({ kind: 'exited', code: 0 });
    const { stdout, stderr } = await job.output();
    const all = Buffer.concat([stdout, stderr]).toString();
    expect(all).toContain('right length');
    expect(all).toContain('it is [redacted].');
    expect(all).toContain('y'.repeat(200_000));
    expect(all).not.toContain(secretValue);
    expect(all.match(/\[redacted\]/g)?.length).toBe(7);
    expect(await filesWith(world.home, secretValue)).toEqual([]);
  },
};

export const missingSecret: RunnerScenario = {
  name: 'a secret that cannot be had stops the start',
  async run(world) {
    const key = world.newKey();
    const failing = world.call(key, { secret: () => Promise.reject(new Error('no such secret')) });
    const start = world.runner.start(world.spec({ script: 'true' }, { secretEnv: { TOKEN: secretReference } }), failing);
    await expect(start).rejects.toThrow('no such secret');
    const later = world.spec({ script: 'exit 5' });
    const handle = await world.runner.start(later, world.call(key));
    expect(await world.runner.wait({ key, handle }, world.ask)).toMatchObject({ kind: 'exited', code: 5 });
  },
};

async function filesWith(dir: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(dir, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if ((await readFile(path)).includes(text)) found.push(path);
  }
  return found;
}
