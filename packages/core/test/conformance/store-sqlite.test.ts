import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeBed, storeConformance } from '@errand/testkit';
import { openStore, openStoreOn } from '../../src/store/open.ts';
import { openSqlite } from '../../src/store/sqlite.ts';

storeConformance('SQLite', async () => {
  const home = await mkdtemp(join(tmpdir(), 'errand-store-'));
  return storeBed(
    () => openStore({ home }),
    () => rm(home, { recursive: true }),
  );
});

storeConformance('SQLite in memory, shared', async () => {
  const database = await openSqlite(':memory:');
  return storeBed(
    () => openStoreOn(database),
    async () => database[Symbol.asyncDispose](),
  );
});
