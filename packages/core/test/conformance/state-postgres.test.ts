import { afterAll, beforeAll, describe } from 'vitest';
import { findPostgres, startPostgres, stateConformance } from '@errand/testkit';
import type { PostgresServer } from '@errand/testkit';
import { openStateStore } from '../../src/store/infra/open.ts';
import { stateBed } from '../state-bed.ts';

const bin = findPostgres();
const missing = 'PostgreSQL is not installed (no initdb and postgres in PATH or /usr/lib/postgresql)';
if (!bin && process.env['CI']) throw new Error(missing);
if (!bin) console.warn(`skipped the infrastructure state on PostgreSQL: ${missing}`);

describe.skipIf(!bin)('with a real server', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres(bin ?? '');
  });
  afterAll(() => server?.[Symbol.asyncDispose]());

  stateConformance('PostgreSQL', async () => {
    const url = await server.createDatabase();
    return stateBed(
      () => openStateStore({ home: '/nonexistent', url }),
      async () => {},
    );
  });
});
