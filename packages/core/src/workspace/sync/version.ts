import { hash } from 'node:crypto';

/** What is at a path, as far as it is compared. Directories are only there or not. */
export type Version =
  | { readonly kind: 'file'; readonly mode: number; readonly size: number; readonly sha256: string }
  | { readonly kind: 'link'; readonly target: string }
  | { readonly kind: 'directory' };

export type FileVersion = Extract<Version, { kind: 'file' }>;

/** Undefined is nothing. */
export function same(a: Version | undefined, b: Version | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  if (a.kind === 'file') return b.kind === 'file' && a.sha256 === b.sha256 && plainMode(a) === plainMode(b);
  if (a.kind === 'link') return b.kind === 'link' && a.target === b.target;
  return b.kind === 'directory';
}

/** Providers let the owner read and write every file, so that a job can; that is no change of the job's. */
export const plainMode = (version: FileVersion) => (version.mode & 0o777) | 0o600;

export const sha256 = (bytes: Uint8Array) => hash('sha256', bytes);
