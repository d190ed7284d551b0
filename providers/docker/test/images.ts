// Images for the drivers, of this machine's busybox, and of its PostgreSQL with the libraries that it needs: no registry
// is needed.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { TarEntry } from '@errand/contract/tar';
import { findPostgres } from '@errand/testkit';
import { file, findBed, findBusybox, importImage, shellImage } from './bed.ts';
import type { Bed } from './bed.ts';

export interface ServiceBed extends Bed {
  /** An HTTP server on 8080, one on 5000 that answers as a registry would, and something that answers a redis' PING. */
  readonly web: string;
  readonly registry: string;
  readonly redis: string;
  /** Used like the image `postgres`; a reason when there is none. */
  readonly postgres: { readonly image: string } | string;
}

/** A bed with images for the drivers on an engine that has networks; or why there is none. */
export async function findServiceBed(): Promise<ServiceBed | string> {
  const bed = await findBed();
  if (typeof bed === 'string') return bed;
  const busybox = findBusybox();
  if (!busybox) return 'no static busybox is on the PATH to make test images of (Debian: busybox-static)';
  const base = shellImage(busybox);
  const files = [...base, ...pretended];
  const serve = (port: number) => ['/bin/httpd', '-f', '-p', String(port), '-h', '/www'];
  const answer = ['/bin/nc', '-ll', '-p', '6379', '-e', '/usr/bin/redis-answer'];
  const bin = findPostgres();
  const postgres =
    bin === undefined
      ? 'PostgreSQL is not installed, so no image can be made of it (Debian: postgresql)'
      : {
          image: await importImage(bed.address, 'postgres', once([...base, ...postgresFiles(bin)]), [
            '/usr/bin/docker-entrypoint.sh',
          ]),
        };
  return {
    ...bed,
    web: await importImage(bed.address, 'web', files, serve(8080)),
    registry: await importImage(bed.address, 'registry', files, serve(5000)),
    redis: await importImage(bed.address, 'redis', files, answer),
    postgres,
  };
}

/** An engine takes no path twice; the last one counts. */
const once = (entries: readonly TarEntry[]) => [...new Map(entries.map((one) => [one.path, one])).values()];

const script = (path: string, text: string) => file(path, `#!/bin/sh\n${text}\n`, 0o755);

/** The real images cannot be had without a registry. */
const pretended: TarEntry[] = [
  { kind: 'directory', path: 'www', mode: 0o755 },
  { kind: 'directory', path: 'www/v2', mode: 0o755 },
  file('www/index.html', 'hello\n'),
  file('www/v2/index.html', '{}\n'),
  script('usr/bin/redis-answer', 'while read -r line; do case "$line" in *[Pp][Ii][Nn][Gg]*) printf "+PONG\\r\\n";; esac; done'),
  script('usr/bin/redis-cli', 'echo PING | nc -w 1 127.0.0.1 6379'),
];

/** Of a program: itself, and every library that the loader would take. */
function withLibraries(paths: readonly string[]): TarEntry[] {
  const seen = new Map<string, TarEntry>();
  const directories = new Set<string>();
  const add = (path: string) => {
    if (seen.has(path)) return;
    for (let dir = dirname(path); dir !== '/' && !directories.has(dir); dir = dirname(dir)) directories.add(dir);
    seen.set(path, file(path.slice(1), readFileSync(realpathSync(path)), statSync(path).mode & 0o777));
  };
  for (const path of paths) {
    add(path);
    if (!/\.so|\/bin\//.test(path)) continue;
    const listed = execFileSync('ldd', [path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    for (const [, library] of listed.matchAll(/(\/[^\s()]+)\s+\(0x/g)) if (library !== undefined) add(library);
  }
  const made = [...directories].toSorted().map((dir): TarEntry => ({ kind: 'directory', path: dir.slice(1), mode: 0o755 }));
  const there = new Set(['bin', 'etc', 'usr', 'usr/bin', 'root', 'tmp']);
  return [...made.filter((one) => !there.has(one.path)), ...seen.values()];
}

function postgresFiles(bin: string): TarEntry[] {
  const version = basename(dirname(bin));
  const share = `/usr/share/postgresql/${version}`;
  const lib = join(dirname(bin), 'lib');
  const every = (dir: string): string[] =>
    existsSync(dir)
      ? readdirSync(dir, { recursive: true, encoding: 'utf8' })
          .map((name) => join(dir, name))
          .filter((path) => statSync(path).isFile())
      : [];
  const programs = ['postgres', 'initdb', 'pg_isready', 'psql'].map((name) => join(bin, name));
  const shared = every(share).filter((path) => !/\/(extension|man|locale)\//.test(path) || /plpgsql/.test(path));
  const modules = ['plpgsql.so', 'dict_snowball.so', 'utf8_and_latin1.so']
    .map((name) => join(lib, name))
    .filter((path) => existsSync(path));
  const zones = ['/usr/share/zoneinfo/UTC'].filter((path) => existsSync(path));
  return [
    ...withLibraries([...programs, ...modules, ...shared, ...zones]).filter((one) => one.path !== 'bin/sh'),
    file('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\npostgres:x:70:70::/var/lib/postgresql:/bin/sh\n'),
    file('etc/group', 'root:x:0:\npostgres:x:70:\n'),
    script('usr/bin/pg_isready', `exec ${bin}/pg_isready "$@"`),
    script('usr/bin/docker-entrypoint.sh', entrypoint(bin)),
  ];
}

/** As the real image's: sets up once, without TCP, then serves. */
const entrypoint = (bin: string) => `set -e
mkdir -p "$PGDATA" /var/run/postgresql && chown -R postgres "$(dirname "$PGDATA")" /var/run/postgresql
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  echo "$POSTGRES_PASSWORD" > /tmp/pw && chmod 644 /tmp/pw
  su postgres -c "${bin}/initdb -D $PGDATA -U $POSTGRES_USER --pwfile=/tmp/pw --auth-host=scram-sha-256 --auth-local=trust --no-locale -E UTF8 --no-sync" 
  rm /tmp/pw
  echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
  if [ "$POSTGRES_DB" != postgres ]; then
    echo "CREATE DATABASE $POSTGRES_DB;" | su postgres -c "${bin}/postgres --single -D $PGDATA postgres" > /dev/null
  fi
fi
exec su postgres -c "exec ${bin}/postgres -D $PGDATA -c listen_addresses='*' -k /var/run/postgresql -c fsync=off -c max_connections=20 -c shared_buffers=16MB -c dynamic_shared_memory_type=mmap"`;
