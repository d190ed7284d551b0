import { ErrandError } from '@errand/contract';
import type { Engine } from './client.ts';
import { readTar } from '@errand/contract/tar';
import type { TarOwner } from '@errand/contract/tar';

export const root: TarOwner = { uid: 0, gid: 0 };

/** Whether files of root are files of this user. */
export function isRoot(user: string): boolean {
  return user === '' || /^(0|root)(:(0|root))?$/.test(user);
}

/** Who owns the files of a job that runs as `user`; names are looked up where the job's own system would. */
export async function ownerOf(engine: Engine, container: string, user: string, signal: AbortSignal): Promise<TarOwner> {
  if (isRoot(user)) return root;
  const [name = '', group] = user.split(':');
  const found = await account(engine, container, '/etc/passwd', name, signal);
  const uid = number(name) ?? found?.[2];
  const gid =
    group === undefined
      ? (found?.[3] ?? 0)
      : (number(group) ?? (await account(engine, container, '/etc/group', group, signal))?.[2]);
  if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  throw new ErrandError('config/invalid', `the image has no user or group ${JSON.stringify(user)}`, {
    next: 'Name one that is in its /etc/passwd and /etc/group, or give numbers: `user: "1000:1000"`.',
  });
}

const number = (text: string) => (/^\d+$/.test(text) ? text : undefined);

/** The fields of the line that begins with this name, or has this number. */
async function account(engine: Engine, container: string, path: string, name: string, signal: AbortSignal) {
  const archive = await engine.getArchive(container, path, signal);
  if (!archive) return undefined;
  for await (const entry of readTar(archive)) {
    if (entry.kind !== 'file' || entry.size > 1024 * 1024) continue;
    const parts: Uint8Array[] = [];
    for await (const bytes of entry.content()) parts.push(bytes);
    const lines = Buffer.concat(parts)
      .toString()
      .split('\n')
      .map((line) => line.split(':'));
    return lines.find((fields) => fields[0] === name || (number(name) !== undefined && fields[2] === name));
  }
  return undefined;
}
