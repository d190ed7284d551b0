import type { SyncConflict, SyncReport } from '@errand/core';
import { visible } from './text.ts';

/** `3 written, 1 deleted`; what did not happen is not told. */
export function syncText({ written, deleted, ignored, conflicts }: SyncReport): string {
  const parts = [
    written > 0 && `${written} written`,
    deleted > 0 && `${deleted} deleted`,
    conflicts.length > 0 && `${conflicts.length} in conflict`,
    ignored > 0 && `${ignored} ignored`,
  ];
  return parts.filter((part) => part !== false).join(', ') || 'nothing changed';
}

const reasons: Readonly<Record<SyncConflict['why'], string>> = {
  'changed-both': 'was changed here and by the command',
  'deleted-here': 'was deleted here and changed by the command',
  'deleted-there': 'was changed here and deleted by the command; it stays',
  'in-the-way': 'cannot be written, because something else is in its place',
  unsafe: 'has a name or a link target that could lead out of the workspace; it was left behind',
};

export function conflictText({ path, why, kept }: SyncConflict): string {
  const where = kept === undefined ? '' : `; the command's version is in ${visible(kept)}`;
  return `conflict: ${visible(path)} ${reasons[why]}${where}`;
}
