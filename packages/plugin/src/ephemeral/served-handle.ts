import type { MessageInitShape } from '@bufbuild/protobuf';
import { ErrandError } from '@errand/contract';
import type { Handle, Ref } from '@errand/contract';
import type { JobHandle, JobHandleSchema } from '../gen/workflow/plugin/external/iac/iac_pb.js';

/** Whoever holds the handle gives us back what we need; nothing is kept here. */
export interface ServedJob {
  readonly ref: Ref<'job'>;
  readonly place?: Handle<'place'>;
  /** Milliseconds between asking it to end and forcing it. */
  readonly grace: number;
}

const key = 'errand';
const usualGrace = 10_000;

export function sendServed(provider: string, { ref, place, grace }: ServedJob): MessageInitShape<typeof JobHandleSchema> {
  const kept = JSON.stringify({ version: 1, job: ref.handle, place, grace });
  return { id: ref.key, name: ref.key, provider, metadata: { [key]: kept } };
}

export function readServed({ id, name, metadata }: JobHandle): ServedJob {
  const known = name === '' ? id : name;
  if (known === '') {
    throw new ErrandError('usage/invalid', 'was asked about a job: the handle has neither an id nor a name', {
      next: 'Send the handle that RunJob gave.',
    });
  }
  const kept = parse(metadata[key]);
  return {
    ref: { key: known, ...(kept?.job && { handle: kept.job }) },
    ...(kept?.place && { place: kept.place }),
    grace: kept?.grace ?? usualGrace,
  };
}

/** The name alone will do, so what cannot be read is as good as absent. */
function parse(text: string | undefined): { job?: Handle<'job'>; place?: Handle<'place'>; grace?: number } | undefined {
  if (text === undefined) return undefined;
  try {
    const { version, job, place, grace } = JSON.parse(text) as Record<string, unknown>;
    if (version !== 1) return undefined;
    return {
      ...(isHandle(job, 'job') && { job }),
      ...(isHandle(place, 'place') && { place }),
      ...(typeof grace === 'number' && grace >= 0 && { grace }),
    };
  } catch {
    return undefined;
  }
}

function isHandle<K extends 'job' | 'place'>(value: unknown, kind: K): value is Handle<K> {
  if (typeof value !== 'object' || value === null) return false;
  const { kind: given, provider, version } = value as Partial<Handle>;
  return given === kind && typeof provider === 'string' && typeof version === 'number' && 'state' in value;
}
