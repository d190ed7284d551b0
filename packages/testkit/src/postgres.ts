// A private, real PostgreSQL server for tests: a cluster in a temporary directory, reached only through a socket in it.
import { execFile, spawn } from 'node:child_process';
import { chownSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

export interface PostgresServer extends AsyncDisposable {
  /** Gives its URL. */
  createDatabase(): Promise<string>;
  /** Ends every connection to our databases, as a restart of the server would. */
  dropConnections(): Promise<void>;
}

/** The directory of the server's programs; undefined when it is not installed. */
export function findPostgres(): string | undefined {
  const packaged = '/usr/lib/postgresql';
  const versions = existsSync(packaged) ? readdirSync(packaged).toSorted((a, b) => Number(b) - Number(a)) : [];
  const places = [...(process.env['PATH'] ?? '').split(delimiter), ...versions.map((version) => join(packaged, version, 'bin'))];
  return places.find((place) =>
    ['initdb', 'postgres', 'psql', 'pg_isready'].every((program) => existsSync(join(place, program))),
  );
}

export async function startPostgres(bin: string): Promise<PostgresServer> {
  const base = await mkdtemp(join(tmpdir(), 'errand-pg-'));
  const as = account();
  if (as.uid !== undefined && as.gid !== undefined) chownSync(base, as.uid, as.gid);
  const data = join(base, 'data');
  const options = { ...as, cwd: base, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
  await execute(join(bin, 'initdb'), ['-D', data, '-U', 'errand', '--auth=trust', '--encoding=UTF8', '--no-sync'], options);

  const fast = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'listen_addresses=', 'max_connections=200'];
  const args = ['-D', data, '-k', base, ...fast.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(bin, 'postgres'), args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-4_000)));
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const abandon = () => void server.kill('SIGQUIT');
  process.once('exit', abandon);

  const ask = (sql: string) => execute(join(bin, 'psql'), ['-h', base, '-U', 'errand', '-d', 'postgres', '-qc', sql], options);
  await ready();
  let count = 0;

  async function ready(): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await execute(join(bin, 'pg_isready'), ['-h', base], options);
        return;
      } catch (error) {
        if (tries > 300 || server.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said}`, { cause: error });
        await sleep(50);
      }
    }
  }

  return {
    createDatabase: async () => {
      const name = `errand_${++count}`;
      await ask(`CREATE DATABASE ${name}`);
      return `postgres://errand@localhost/${name}?host=${encodeURIComponent(base)}`;
    },
    dropConnections: async () => {
      await ask(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'errand%'`);
    },
    [Symbol.asyncDispose]: async () => {
      process.off('exit', abandon);
      server.kill('SIGINT');
      await ended;
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** PostgreSQL refuses to run as root. */
function account(): { readonly uid?: number; readonly gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const found = ['postgres:', 'nobody:'].map((name) => users.find((line) => line.startsWith(name))).find((line) => line);
  const [, , uid, gid] = found?.split(':') ?? [];
  return { uid: Number(uid ?? 65_534), gid: Number(gid ?? 65_534) };
}
