import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ErrandError } from '@errand/contract';
import type { PluginDirectory } from '../launch/plugin-directory.ts';
import { emptyLock, formatLock, parseLock, refusalOf, withPin } from './lock-file.ts';
import type { Found, Lock } from './lock-file.ts';

export const lockName = 'errand.lock';

/** Refuses a plugin that nobody locked, or that is not what was locked. Called before each start of its process. */
export async function verifyPlugin(plugin: PluginDirectory, lockFile: string): Promise<void> {
  const { refusal, digest } = await lookUpPin(plugin, lockFile);
  if (refusal === undefined) return;
  throw new ErrandError('provider/untrusted', `refused to launch the plugin ${plugin.executable}: it ${refusal} (${lockFile})`, {
    next: `If this is the program that you mean to run, run errand provider lock; its SHA-256 is ${digest}.`,
  });
}

/** What lies there now, and why it may not be launched; without a refusal it may. */
export async function lookUpPin(
  plugin: PluginDirectory,
  lockFile: string,
): Promise<{ readonly digest: string; readonly refusal?: string }> {
  const found = await find(plugin);
  const refusal = refusalOf(await readLock(lockFile), found);
  return { digest: found.digest, ...(refusal !== undefined && { refusal }) };
}

/** Writes what lies there now into the lock. Gives what it wrote and what was there before. */
export async function lockPlugin(
  plugin: PluginDirectory,
  lockFile: string,
): Promise<{ readonly before: Lock; readonly after: Lock }> {
  const before = await readLock(lockFile);
  const after = withPin(before, await find(plugin));
  const fresh = `${lockFile}.${process.pid}.new`;
  try {
    await writeFile(fresh, formatLock(after));
    await rename(fresh, lockFile);
  } finally {
    await rm(fresh, { force: true });
  }
  return { before, after };
}

/** A lock that does not exist locks nothing, so it lets nothing through. */
export async function readLock(lockFile: string): Promise<Lock> {
  let text: string;
  try {
    text = await readFile(lockFile, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return emptyLock;
    throw new ErrandError('config/unreadable', `read the lock ${lockFile}: ${(error as Error).message}`, { cause: error });
  }
  return parseLock(text, lockFile);
}

async function find(plugin: PluginDirectory): Promise<Found> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(plugin.executable), hash);
  const platform = `${process.platform}-${process.arch}`;
  return { name: basename(plugin.path), version: plugin.version, platform, digest: hash.digest('hex') };
}
