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
    } finally {
      await destroy();
      const names = [net(prefix), ...['db', 'cache', 'api', 'web'].map((name) => `${prefix}-${name}`)];
      const found = await Promise.all(names.map((id) => engine.containers({ [resourceLabel.id]: id }, signal)));
      expect(found.flat()).toEqual([]);
      expect(await engine.volume(`${prefix}-db.data`, signal)).toBeUndefined();
      expect(await engine.network(net(prefix), signal)).toBeUndefined();
      engine.close();
    }
  },
);

const net = (prefix: string) => `${prefix}-net`;
