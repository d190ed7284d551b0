import { ErrandError } from '@errand/contract';

/** How much of each stream was given. The order between the streams may differ from one reading to the next. */
export interface Given {
  stdout: number;
  stderr: number;
}

export const cursorOf = ({ stdout, stderr }: Given) => `${stdout}.${stderr}`;

export function readCursor(cursor: string | undefined): Given {
  if (cursor === undefined) return { stdout: 0, stderr: 0 };
  const [, stdout, stderr] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (stdout !== undefined && stderr !== undefined) return { stdout: Number(stdout), stderr: Number(stderr) };
  throw new ErrandError('usage/invalid', `tried to read a log from ${JSON.stringify(cursor)}: it is not a cursor of this log`, {
    next: 'Use a cursor that an earlier chunk of the same log carried.',
  });
}
