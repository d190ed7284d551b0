// The engine that the tests use, and images for it. No registry is needed: the images are made from the machine's
// static busybox, or named by ERRAND_TEST_IMAGE (with a POSIX shell) and ERRAND_TEST_BARE_IMAGE (only /bin/true).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { defaultAddress, parseAddress } from '../src/address.ts';
import { createHttp } from '../src/http.ts';
import { writeTar } from '@errand/contract/tar';
import type { TarEntry } from '@errand/contract/tar';

export interface Bed {
  readonly address: string;
  readonly image: string;
  readonly bareImage: string;
  readonly podman: boolean;
}

export const signal = new AbortController().signal;
export const ask = { signal, log: () => undefined };

/** A bed on the default engine, or on the one that is named; or why there is none. */
export async function findBed(named?: string): Promise<Bed | string> {
  let address: string;
  let podman: boolean;
  try {
    address = named ?? defaultAddress();
    const http = createHttp(parseAddress(address));
    const { status, json } = await http.ask({ method: 'GET', path: '/version', signal: AbortSignal.timeout(30_000) });
    http.close();
    podman = JSON.stringify(json).includes('"Podman Engine"');
    if (status !== 200) return `the Docker engine at ${address} answered ${status}`;
  } catch (error) {
    return `no Docker engine answers: ${(error as Error).message}`;
  }
  const image = process.env['ERRAND_TEST_IMAGE'];
  const bareImage = process.env['ERRAND_TEST_BARE_IMAGE'];
  if (image !== undefined && bareImage !== undefined) return { address, image, bareImage, podman };
  const busybox = findBusybox();
  if (busybox === undefined) return 'no static busybox is on the PATH to make test images of (Debian: busybox-static)';
  return {
    address,
    podman,
    image: image ?? (await importImage(address, 'shell', shellImage(busybox))),
    bareImage: bareImage ?? (await importImage(address, 'bare', bareImageOf(busybox))),
  };
}

/** Podman's service beside the default engine: ERRAND_TEST_PODMAN_HOST says where. */
export async function findPodman(): Promise<Bed | string> {
  const address = process.env['ERRAND_TEST_PODMAN_HOST'];
  if (address === undefined || address === '') return 'ERRAND_TEST_PODMAN_HOST names no Podman service (`podman system service`)';
  const bed = await findBed(address);
  return typeof bed === 'string' || bed.podman ? bed : `the engine at ${address} is not Podman`;
}

export function findBusybox(): { readonly bytes: Buffer; readonly applets: readonly string[] } | undefined {
  for (const path of ['/bin/busybox', '/usr/bin/busybox']) {
    try {
      const bytes = readFileSync(path);
      const applets = execFileSync(path, ['--list'], { encoding: 'utf8' }).trim().split('\n');
      // One that names a loader needs libraries that an image of it alone would lack.
      if (!bytes.includes('/ld-linux') && !bytes.includes('/ld-musl')) return { bytes, applets };
    } catch {
      continue;
    }
  }
  return undefined;
}

type Busybox = NonNullable<ReturnType<typeof findBusybox>>;

export const file = (path: string, content: Buffer | string, mode = 0o644): TarEntry => {
  const bytes = Buffer.from(content);
  return { kind: 'file', path, mode, size: bytes.length, content: () => [bytes] };
};

export function shellImage({ bytes, applets }: Busybox): TarEntry[] {
  return [
    ...['bin', 'etc', 'usr', 'usr/bin', 'root'].map((path): TarEntry => ({ kind: 'directory', path, mode: 0o755 })),
    { kind: 'directory', path: 'tmp', mode: 0o1777 },
    file('bin/busybox', bytes, 0o755),
    ...applets
      .map((name): TarEntry => ({ kind: 'link', path: `bin/${name}`, target: 'busybox' }))
      .filter((one) => one.path !== 'bin/busybox'),
    file('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\nworker:x:1000:1001::/tmp:/bin/sh\n'),
    file('etc/group', 'root:x:0:\nworkers:x:1001:\n'),
  ];
}

function bareImageOf({ bytes }: Busybox): TarEntry[] {
  return [{ kind: 'directory', path: 'bin', mode: 0o755 }, file('bin/true', bytes, 0o755)];
}

export async function importImage(
  address: string,
  kind: string,
  entries: readonly TarEntry[],
  entrypoint?: readonly string[],
): Promise<string> {
  const name = `localhost/errand-test-${kind}`;
  const http = createHttp(parseAddress(address));
  try {
    const there = await http.ask({ method: 'GET', path: `/images/${name}:latest/json`, signal });
    if (there.status === 200) return name;
    async function* all() {
      yield* entries;
    }
    const changes = entrypoint === undefined ? {} : { changes: `ENTRYPOINT ${JSON.stringify(entrypoint)}` };
    const query = { fromSrc: '-', repo: name, ...changes };
    const made = await http.ask({
      method: 'POST',
      path: '/images/create',
      query,
      stream: writeTar(all(), { uid: 0, gid: 0 }),
      signal,
    });
    if (made.status !== 200) throw new Error(`the engine refused the image ${name}: ${JSON.stringify(made.json)}`);
    return name;
  } finally {
    http.close();
  }
}

/** What Podman's compatible API does not tell. */
export const podmanSkips = {
  // The limit is not its place's, so this job has a container of its own.
  'a job over its memory limit is ended as out of memory': 'Podman tells only when the main process was ended for it',
};
