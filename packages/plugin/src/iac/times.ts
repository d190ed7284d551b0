import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { Malformed } from '../wire/malformed.ts';

/** The first moment of the year 1: how Go says "no time". */
const goZero = -62_135_596_800n;

/** Milliseconds since the epoch; absent for no time. */
export function readTime(message: Timestamp | undefined): number | undefined {
  if (message === undefined || message.seconds === goZero) return undefined;
  return Number(message.seconds) * 1000 + message.nanos / 1_000_000;
}

export function sendTime(time: number | undefined): { seconds: bigint; nanos: number } | undefined {
  if (time === undefined) return undefined;
  if (!Number.isFinite(time)) throw new Malformed('a time is not a number of milliseconds');
  const seconds = Math.floor(time / 1000);
  return { seconds: BigInt(seconds), nanos: Math.round((time - seconds * 1000) * 1_000_000) };
}
