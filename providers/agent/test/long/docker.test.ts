// The same promises through an agent that stands on a Docker engine.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { hostConformance } from '@errand/testkit';
import { findBed } from '../../../docker/test/bed.ts';
import { makeBed, withItsCapabilities } from '../bed.ts';
import { finish, release, run, start } from '../jobs.ts';

const engine = await findBed();
const bed = makeBed();
mkdirSync(bed.path('secrets'), { mode: 0o700 });
writeFileSync(bed.path('secrets/key'), 'value-of-key\n', { mode: 0o600 });
const config = bed.write(
  'agent.yaml',
  `provider: docker
policy: { concurrency: 64, profiles: [permissive, strict], images: ['${typeof engine === 'string' ? 'none' : engine.image}'] }
secrets: { directory: secrets, allow: [key] }
`,
);
const agent = typeof engine === 'string' ? undefined : await bed.start({ args: ['--config', config] });
const options = bed.options(agent ?? { address: '127.0.0.1:1' }, { options: { network: 'none' } });

afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  bed[Symbol.dispose]();
});

const open = async (home: string) => withItsCapabilities(bed, options, home, await bed.open(home));

const subject = {
  open,
  options,
  ...(typeof engine === 'string' ? { missing: engine } : { image: engine.image }),
};

// Runners: the agent's own part is seen on local (local.test.ts), the engine's in the docker provider's suites.
hostConformance('agent on docker', subject);

const home = mkdtempSync(join(tmpdir(), 'errand-agent-docker-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function image(skip: (reason: string) => void): { readonly image: string } {
  if (typeof engine !== 'string') return { image: engine.image };
  if (process.env['CI']) throw new Error(engine);
  skip(engine);
  return { image: '' };
}

test('as a client of the public kind sees it: profile, directory, and a masked secret', async ({ skip }) => {
  const wanted = image(skip);
  await using provider = await bed.open(home);
  const far = { address: agent?.address ?? '', protocol: 'sandbox', profile: 'strict', options: { workdir: '/srv/w' } };
  const env = { A: 'secret://key' };
  const ran = await run(provider, bed.options({ address: far.address }, far), 'pwd; echo $A ${#A}; touch /x; exit 5', {
    ...wanted,
    env,
  });
  expect(ran).toMatchObject({ exit: { kind: 'exited', code: 5 }, out: '/srv/w\n[redacted] 12\n' });
  expect(ran.err).toContain('Read-only');
});

test('the agent ends a job at its time limit, and refuses what its policy does not name', async ({ skip }) => {
  const wanted = image(skip);
  await using provider = await bed.open(home);
  const before = Date.now();
  const job = await start(provider, options, 'sleep 300', { ...wanted, timeout: 1_000 });
  expect((await finish(provider, job)).exit.kind).toMatch(/signalled|exited/);
  expect(Date.now() - before).toBeLessThan(30_000);
  await release(provider, job);
  const refused = { code: 'provider/refused' };
  await expect(run(provider, options, 'true', { image: 'alpine' })).rejects.toMatchObject(refused);
  const mounts = [{ source: '/', target: '/x', read_only: true }];
  for (const more of [{ mounts }, { engine: 'tcp://127.0.0.1:1' }, { network: 'host' }]) {
    const asked = bed.options(agent ?? { address: '' }, { options: more });
    await expect(run(provider, asked, 'true', wanted)).rejects.toMatchObject(refused);
  }
  const secret = run(provider, options, 'true', { ...wanted, env: { A: 'secret://agent/key' } });
  await expect(secret).rejects.toMatchObject(refused);
});
