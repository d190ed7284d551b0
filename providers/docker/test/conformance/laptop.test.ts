// The stack of examples/laptop, put together by hand: its parts reach each other and are reached, heal, and go.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Attributes, Infra, ResourceOutput, SecretCall } from '@errand/contract';
import { openInfra } from '../../src/drivers/index.ts';
import { resourceLabel } from '../../src/drivers/layout.ts';
import { openResourceEngine } from '../../src/drivers/sdk.ts';
import { signal } from '../bed.ts';
import { findServiceBed } from '../images.ts';

const bed = await findServiceBed();
const missing = typeof bed === 'string' ? bed : typeof bed.postgres === 'string' ? bed.postgres : undefined;

const call = (): SecretCall => ({
  signal,
  log: () => undefined,
  key: randomBytes(8).toString('hex'),
  epoch: 1,
  secret: async () => 'hush',
});

function text({ outputs }: ResourceOutput, name: string): string {
  const value = outputs[name];
  return typeof value === 'string' ? value : '';
}

function stackOn(infra: Infra) {
  const driver = (type: string) => {
    const found = infra.drivers.get(type);
    if (!found) throw new Error(type);
    return found;
  };
  const made: ResourceOutput[] = [];
  return {
    driver,
    create: async (name: string, type: string, config: Attributes) => {
      const output = await driver(type).create({ name, type, config, dependsOn: [] }, call());
      made.push(output);
      return output;
    },
    destroy: async () => {
      for (const one of made.toReversed()) await driver(one.type).delete(one, call());
    },
  };
}

test(
  'network, database, cache and two services work together, heal, and leave nothing',
  { timeout: 240_000 },
  async ({ skip }) => {
    if (missing !== undefined && process.env['CI']) throw new Error(missing);
    if (typeof bed === 'string' || typeof bed.postgres === 'string') return skip(missing);
    const prefix = `errand-laptop-${randomBytes(4).toString('hex')}`;
    using opened = openInfra({ prefix });
    const engine = openResourceEngine(bed.address);
    const { driver, create, destroy } = stackOn(opened.infra);
    /** What a program in a container writes. */
    const inside = async (container: string, ...argv: string[]) => {
      const connection = await engine.execute(container, argv, signal);
      let said = '';
      for await (const bytes of connection.output) said += Buffer.from(bytes).toString();
      return said;
    };
    try {
      const net = await create('net', 'infra.vpc', {});
      const vpc = { vpc_ref: net.outputs['id'] ?? null };
      const [db, cache] = await Promise.all([
        create('db', 'infra.database', { image: bed.postgres.image, ...vpc }),
        create('cache', 'infra.cache', { image: bed.redis, ...vpc }),
      ]);
      const env = { DATABASE_URL: db.outputs['uri'] ?? null, CACHE_URL: cache.outputs['uri'] ?? null };
      const api = await create('api', 'infra.container_service', {
        image: bed.web,
        http_port: 8080,
        instance_count: 2,
        env_vars: env,
        ...vpc,
      });
      const web = await create('web', 'infra.container_service', {
        image: bed.web,
        http_port: 8080,
        health_check: { http_path: '/' },
        ...vpc,
      });

      expect(await (await fetch(text(web, 'external_endpoint'))).text()).toBe('hello\n');
      expect(await inside(`${prefix}-web-1`, 'wget', '-q', '-O', '-', text(api, 'endpoint'))).toBe('hello\n');
      expect(await inside(`${prefix}-api-2`, 'sh', '-c', 'echo PING | nc -w 2 cache 6379')).toContain('PONG');
      const uri = text(db, 'uri');
      expect(await inside(`${prefix}-api-1`, 'sh', '-c', 'echo "$DATABASE_URL"')).toBe(`${uri}\n`);
      const psql = await inside(`${prefix}-db-1`, 'sh', '-c', `/usr/lib/postgresql/*/bin/psql -Atc 'select 40 + 2' '${uri}'`);
      expect(psql.trim()).toBe('42');

      // What is there can be listed, taken over and listened to.
      const refs = [];
      for await (const ref of opened.infra.enumerator?.byTag(prefix, call()) ?? []) refs.push(ref.name);
      expect(refs.toSorted()).toEqual(['api', 'cache', 'db', 'net', 'web']);
      expect(refs.at(-1)).toBe('net');
      const caches = [];
      for await (const one of opened.infra.enumerator?.all('infra.cache', call()) ?? []) caches.push(one);
      expect(caches).toContainEqual(cache);
      expect(await opened.infra.import?.(cache.type, cache.providerId, call())).toMatchObject({
        name: 'cache',
        appliedConfig: { image: bed.redis },
      });
      const lines = [];
      const request = { resource: db, type: 'run' as const, follow: false, tailLines: 2 };
      for await (const one of opened.infra.logCapture?.capture(request, call()) ?? []) lines.push(one);
      expect(lines.map((one) => one.source)).toEqual([`${prefix}-db-1`, `${prefix}-db-1`]);
      expect(Buffer.from(lines[0]?.bytes ?? []).toString()).toMatch(/\n$/);

      // By hand: a service's container is a resource that is gone, a database keeps its data and password.
      await engine.removeContainer(`${prefix}-web-1`, true, signal);
      expect(await driver(web.type).read(web, call())).toBeUndefined();
      await engine.removeContainer(`${prefix}-db-1`, true, signal);
      const left = await driver(db.type).read(db, call());
      expect(left).toMatchObject({ outputs: { running: 0, password: db.outputs['password'] } });
      const wanted = { name: 'db', type: db.type, config: { image: bed.postgres.image, ...vpc }, dependsOn: [] };
      expect(left && (await driver(db.type).diff(wanted, left, call()))).toMatchObject({
        needsUpdate: true,
        needsReplace: false,
      });
      const healed = await driver(db.type).update(db, wanted, call());
      expect(healed.outputs).toMatchObject({ running: 1, password: db.outputs['password'], uri });
      await create('web', 'infra.container_service', { image: bed.web, http_port: 8080, ...vpc });

      // One of two instances stops: seen, and started again.
      await engine.stop(`${prefix}-api-2`, 0, signal);
      const limping = await driver(api.type).read(api, call());
      expect(limping?.outputs['running']).toBe(1);
      expect(await driver(api.type).scale?.(api, 3, call())).toMatchObject({ status: 'running', outputs: { running: 3 } });
      expect(await driver(api.type).scale?.(api, 1, call())).toMatchObject({ outputs: { running: 1 } });

      const bad = { name: 'bad', type: api.type, config: { image: bed.web, run_command: 'echo oops; exit 3' }, dependsOn: [] };
      const failure = { code: 'provider/failed', message: expect.stringMatching(/ended with 3.*oops/s) as string };
      await expect(driver(api.type).create(bad, call())).rejects.toMatchObject(failure);
      await driver(api.type).delete({ name: 'bad', type: api.type }, call());
      const lost = { ...bad, config: { image: bed.web, vpc_ref: 'no-such-network' } };
      await expect(driver(api.type).create(lost, call())).rejects.toMatchObject({ code: 'provider/refused' });
    } finally {
      await destroy();
      const names = [net(prefix), ...['db', 'cache', 'api', 'web', 'bad'].map((name) => `${prefix}-${name}`)];
      const found = await Promise.all(names.map((id) => engine.containers({ [resourceLabel.id]: id }, signal)));
      expect(found.flat()).toEqual([]);
      expect(await engine.volume(`${prefix}-db.data`, signal)).toBeUndefined();
      expect(await engine.network(net(prefix), signal)).toBeUndefined();
      engine.close();
    }
  },
);

const net = (prefix: string) => `${prefix}-net`;
