import type { MessageInitShape } from '@bufbuild/protobuf';
import { ErrandError } from '@errand/contract';
import type { Handle, Ref } from '@errand/contract';
import type { JobHandle, JobHandleSchema } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { Malformed } from '../wire/malformed.ts';
import { jobNameOf } from './job-name.ts';

const version = 1;

type Sent = MessageInitShape<typeof JobHandleSchema>;

/** All that the plugin said of the job: what it needs to find the job again is its own business. */
export function keepHandle(provider: string, { id, name, provider: own, metadata }: JobHandle, asked: string): Handle<'job'> {
  if (id === '' && name === '') throw new Malformed('the handle of the job names nothing');
  return { kind: 'job', provider, version, state: { id, name: name === '' ? asked : name, provider: own, metadata } };
}

/** Without a handle the name has to do: it follows from the key, and is an id too for plugins that have no other. */
export function sendHandle({ key, handle }: Ref<'job'>): Sent & { readonly name: string } {
  if (!handle) return { id: jobNameOf(key), name: jobNameOf(key) };
  const state = handle.state as { id?: unknown; name?: unknown; provider?: unknown; metadata?: unknown } | null;
  if (handle.version !== version || typeof state?.id !== 'string' || typeof state.name !== 'string') {
    throw new ErrandError('provider/failed', `tried to go on with the job ${key}: its handle is of version ${handle.version}`, {
      next: 'Use the version of Errand that started it, or a newer one.',
    });
  }
  const provider = typeof state.provider === 'string' ? state.provider : '';
  return { id: state.id, name: state.name, provider, metadata: { ...(state.metadata as Record<string, string> | undefined) } };
}
