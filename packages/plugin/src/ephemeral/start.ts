import { status } from '@grpc/grpc-js';
import type { Handle, JobSpec, SecretCall } from '@errand/contract';
import { IaCProviderRunner, JobState } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { unary } from '../wire/link.ts';
import { reading } from '../wire/replies.ts';
import { keepHandle, sendHandle } from './job-handle.ts';
import { jobNameOf } from './job-name.ts';
import { sendJob } from './job-spec.ts';
import type { JobParts } from './parts.ts';
import { askStatus, statusOf } from './status.ts';

/** The name is all that makes it one job: a plugin may refuse a second one, find the first, or know no names at all. */
export async function startJob(parts: JobParts, spec: JobSpec, call: SecretCall): Promise<Handle<'job'>> {
  const { link } = parts;
  // The plugin resolves the references itself; the values are asked for only because the output could not be redacted
  // without them, which is better said before the job runs.
  await Promise.all([...new Set(Object.values(spec.secretEnv))].map((reference) => call.secret(reference)));
  const name = jobNameOf(call.key);
  return reading(link, 'run the job', async () => {
    // The first holder's first attempt has nothing to find; whoever comes later may.
    const isFirst = call.epoch === 1 && !parts.attempted.has(call.key);
    remember(parts.attempted, call.key);
    const known = isFirst ? undefined : await adopt(parts, call).catch(() => undefined);
    call.signal.throwIfAborted();
    if (known) return known;
    try {
      const handle = await unary(link, IaCProviderRunner.method.runJob, sendJob(name, spec), call);
      return keepHandle(link.name, handle, name);
    } catch (error) {
      if (statusOf(error) !== status.ALREADY_EXISTS) throw error;
      const found = await adopt(parts, call);
      if (!found) throw error;
      return found;
    }
  });
}

const mostRemembered = 10_000;

/** One that was forgotten costs a refusal by the plugin, and then is found all the same. */
function remember(attempted: Set<string>, key: string): void {
  const [oldest] = attempted;
  if (oldest !== undefined && attempted.size >= mostRemembered) attempted.delete(oldest);
  attempted.add(key);
}

/** The job that an earlier call with this key has made. */
async function adopt(parts: JobParts, { key, signal }: SecretCall): Promise<Handle<'job'> | undefined> {
  const asked = sendHandle({ key });
  const { handle, state } = await askStatus(parts, asked, signal);
  // A plugin that knows no names may answer anything for one; only a state with the job's own name counts.
  if (!handle || handle.name !== asked.name || state === JobState.UNSPECIFIED) return undefined;
  return keepHandle(parts.link.name, handle, asked.name);
}
