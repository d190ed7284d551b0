import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lastingLogsSuite, logsSuite } from '@errand/testkit';
import type { LastingLogsSubject, LogsSubject } from '@errand/testkit';
import { systemClock } from '../../src/base/clock.ts';
import { createFileLogs } from '../../src/logs/files.ts';
import { followLog } from '../../src/logs/follow.ts';
import { createMemoryLogs } from '../../src/logs/memory.ts';

async function openFiles(): Promise<LastingLogsSubject> {
  const directory = await mkdtemp(join(tmpdir(), 'errand-logs-'));
  return {
    logs: createFileLogs(directory),
    clock: systemClock,
    follow: followLog,
    damage: async (run, epoch, change) => {
      const path = join(directory, run, `${epoch}.log`);
      await writeFile(path, change(await readFile(path)));
    },
    large: { bytes: 200e6, growth: 140e6 },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

async function openMemory(): Promise<LogsSubject> {
  return {
    logs: createMemoryLogs(),
    clock: systemClock,
    follow: followLog,
    large: { bytes: 8e6, growth: 400e6 },
    [Symbol.asyncDispose]: async () => {},
  };
}

logsSuite('files', openFiles);
lastingLogsSuite('files', openFiles);
logsSuite('memory', openMemory);
