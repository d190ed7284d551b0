// `errand.lock`, beside errand.yaml: which executables may be launched as plugins, by SHA-256 and platform. Pure.
//   { "version": 1, "providers": { "<directory name>": { "version": "1.2.3", "sha256": { "linux-x64": "…" } } } }
import { ErrandError } from '@errand/contract';

export interface Pin {
  /** The plugin's own version when it was locked; for people. */
  readonly version: string;
  /** Platform → digest in hex. A lock is shared by machines of several kinds. */
  readonly sha256: Readonly<Record<string, string>>;
}

export interface Lock {
  readonly version: 1;
  readonly providers: Readonly<Record<string, Pin>>;
}

/** What was found on this machine. */
export interface Found {
  readonly name: string;
  readonly version: string;
  readonly platform: string;
  readonly digest: string;
}

export const emptyLock: Lock = { version: 1, providers: {} };

export function parseLock(text: string, file: string): Lock {
  const refuse = (what: string, cause?: unknown) =>
    new ErrandError('config/invalid', `read the lock ${file}: ${what}`, {
      next: 'Restore the file from version control, or remove it and pin each plugin again with: errand provider lock',
      cause,
    });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refuse(`it is not JSON: ${(error as Error).message}`, error);
  }
  if (!isObject(value) || !isObject(value['providers'])) throw refuse('it has no `providers`');
  if (value['version'] !== 1) throw refuse(`its version is ${JSON.stringify(value['version'])}; this Errand reads version 1`);
  for (const [name, pin] of Object.entries(value['providers'])) {
    if (!isPin(pin)) throw refuse(`the entry ${JSON.stringify(name)} is not a version with SHA-256 digests`);
  }
  return value as unknown as Lock;
}

function isPin(value: unknown): value is Pin {
  if (!isObject(value) || typeof value['version'] !== 'string' || !isObject(value['sha256'])) return false;
  return Object.values(value['sha256']).every((digest) => typeof digest === 'string' && /^[0-9a-f]{64}$/.test(digest));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Sorted, so that the same pins give the same bytes. */
export function formatLock(lock: Lock): string {
  const sorted = <T>(record: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const providers = Object.entries(lock.providers).map(([name, pin]) => [
    name,
    { version: pin.version, sha256: sorted(pin.sha256) },
  ]);
  return `${JSON.stringify({ version: 1, providers: sorted(Object.fromEntries(providers) as Lock['providers']) }, undefined, 2)}\n`;
}

/** A new version of a plugin makes the other platforms' digests of the old one worthless. */
export function withPin(lock: Lock, found: Found): Lock {
  const before = pinOf(lock, found.name);
  const kept = before?.version === found.version ? before.sha256 : {};
  const pin = { version: found.version, sha256: { ...kept, [found.platform]: found.digest } };
  return { ...lock, providers: { ...lock.providers, [found.name]: pin } };
}

/** Why this executable may not be launched; undefined when it may. */
export function refusalOf(lock: Lock, found: Found): string | undefined {
  const pin = pinOf(lock, found.name);
  if (pin === undefined) return 'is not in the lock';
  const digest = Object.hasOwn(pin.sha256, found.platform) ? pin.sha256[found.platform] : undefined;
  if (digest === undefined) return `is in the lock, but not for ${found.platform}`;
  if (digest === found.digest) return undefined;
  return `has the SHA-256 ${found.digest}, and the lock says ${digest} (version ${pin.version})`;
}

function pinOf(lock: Lock, name: string): Pin | undefined {
  return Object.hasOwn(lock.providers, name) ? lock.providers[name] : undefined;
}
