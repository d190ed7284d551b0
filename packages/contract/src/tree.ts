import { ErrandError } from './error.ts';

/** One entry of a workspace on its way in or out. Paths are relative, `/`-separated and checked by `safePath`. */
export type TreeEntry =
  | { readonly kind: 'directory'; readonly path: string; readonly mode: number }
  | {
      readonly kind: 'file';
      readonly path: string;
      readonly mode: number;
      readonly size: number;
      /** May be read once. */
      readonly content: () => AsyncIterable<Uint8Array>;
      /** Where the file lies on this machine, so that a provider on the same machine may copy it directly. */
      readonly local?: string;
    }
  | { readonly kind: 'link'; readonly path: string; readonly target: string };

/** Refuses any path that could leave the workspace. Both ends call it on what the other end sent. */
export function safePath(path: string): string {
  const parts = path.split('/');
  const bad =
    path === '' ||
    path.startsWith('/') ||
    path.includes('\0') ||
    path.includes('\\') ||
    parts.some((part) => part === '' || part === '.' || part === '..');
  if (bad) {
    throw new ErrandError(
      'workspace/escape',
      `refused the path ${JSON.stringify(path)}: it is not a plain path inside the workspace`,
    );
  }
  return path;
}

/** A symlink is kept, but its target must stay inside the workspace. */
export function safeLink(path: string, target: string): string {
  safePath(path);
  const stack = path.split('/').slice(0, -1);
  const refuse = (): never => {
    throw new ErrandError('workspace/escape', `refused the link ${path} -> ${target}: it points out of the workspace`, {
      next: 'Copy the file into the workspace, or name the link in .errandignore.',
    });
  };
  if (target === '' || target.startsWith('/') || target.includes('\0')) refuse();
  for (const part of target.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (stack.pop() === undefined) refuse();
    } else stack.push(part);
  }
  return target;
}
