import { ErrandError } from '@errand/contract';
import type { Stream } from '@errand/contract';

/** How many bytes of each stream were given. */
export type Positions = Readonly<Record<Stream, number>>;

export const writeCursor = ({ stdout, stderr }: Positions) => `o${stdout}e${stderr}`;

export function parseCursor(cursor: string | undefined): Positions {
  if (cursor === undefined) return { stdout: 0, stderr: 0 };
  const match = /^o(\d{1,15})e(\d{1,15})$/.exec(cursor);
  if (match) return { stdout: Number(match[1]), stderr: Number(match[2]) };
  throw new ErrandError('usage/invalid', `refused the cursor ${JSON.stringify(cursor)}: it is not one of an SSH job`, {
    next: 'Use a cursor that came with this job’s output.',
  });
}
