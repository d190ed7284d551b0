// Commands that go to the providers' optional services.
import { ErrandError } from '@errand/contract';
import type { Ask, CapturedLog, CaptureRequest, OwnerOf, ResourceRef } from '@errand/contract';
import { driverOf } from '../apply/context.ts';
import { keyOf } from '../apply/intent.ts';
import { withStack } from '../apply/session.ts';
import type { InfraParts, Session } from '../apply/session.ts';
import { save } from '../apply/step.ts';
import { askOf } from './plan.ts';
import { recorded } from './state.ts';

export interface Cleaned {
  readonly ref: ResourceRef;
  readonly deleted: boolean;
  readonly error?: string;
}

/** What is deleted is forgotten, too, where it is recorded. */
export async function cleanup(parts: InfraParts, tag: string, fix: boolean): Promise<readonly Cleaned[]> {
  if (!fix) return (await tagged(parts, tag, askOf(undefined))).map(({ ref }) => ({ ref, deleted: false }));
  const { value } = await withStack(parts, { by: `cleanup ${tag}` }, async (session) => {
    const found = await tagged(parts, tag, askOf(session.context.signal));
    const cleaned: Cleaned[] = [];
    for (const { ref, provider } of found) cleaned.push(await clean(parts, session, provider, ref));
    return cleaned;
  });
  return value;
}

async function tagged(parts: InfraParts, tag: string, ask: Ask) {
  const found: { readonly ref: ResourceRef; readonly provider: string }[] = [];
  let asked = 0;
  for (const provider of parts.stack.providers.keys()) {
    const { enumerator } = await parts.infraOf(provider);
    if (!enumerator) continue;
    asked += 1;
    for await (const ref of enumerator.byTag(tag, ask)) found.push({ ref, provider });
  }
  if (asked > 0) return found;
  throw new ErrandError('environment/unsupported', `looked for what carries the tag ${tag}: no provider of this stack can list`, {
    next: 'Look for it with the tools of the platform.',
  });
}

async function clean(parts: InfraParts, { context, state }: Session, provider: string, ref: ResourceRef): Promise<Cleaned> {
  try {
    const driver = await driverOf(parts, provider, ref.type);
    const key = keyOf(context, ref.name, `cleanup ${ref.providerId ?? ''}`);
    await driver.delete(ref, { ...askOf(context.signal), key, epoch: context.epoch, secret: (name) => parts.secret(name) });
    const mine = [...state.resources.values()].find(
      (record) => record.provider === provider && record.type === ref.type && record.providerId === ref.providerId,
    );
    if (mine) await save(context, [{ kind: 'drop', name: mine.name }]);
    return { ref, deleted: true };
  } catch (error) {
    return { ref, deleted: false, error: error instanceof Error ? error.message : String(error) };
  }
}

export type Owned = OwnerOf & { readonly ref: ResourceRef; readonly provider: string };

export async function owners(parts: InfraParts, owner: string, type: string | undefined): Promise<readonly Owned[]> {
  const found: Owned[] = [];
  let asked = 0;
  for (const provider of parts.stack.providers.keys()) {
    const { ownership } = await parts.infraOf(provider);
    if (!ownership) continue;
    asked += 1;
    for (const one of await ownership.list(owner, type, askOf(undefined))) found.push({ ...one, provider });
  }
  if (asked > 0) return found;
  throw new ErrandError('environment/unsupported', `looked for resources of ${owner}: no provider of this stack knows owners`, {
    next: 'Look at `owner` in `errand infra state show NAME`, which says who applied with --owner.',
  });
}

/** Makes the place where the state is kept; repeating it is fine. Gives variables to set. */
export async function bootstrap(parts: InfraParts): Promise<Readonly<Record<string, string>>> {
  const { backend } = parts.stack;
  const env: Record<string, string> = {};
  let asked = 0;
  for (const provider of backend ? [backend.provider] : parts.stack.providers.keys()) {
    const infra = await parts.infraOf(provider);
    if (!infra.bootstrap) continue;
    asked += 1;
    const key = keyOf({ lineage: parts.stack.name, serial: 0 }, provider, 'bootstrap');
    const made = await infra.bootstrap(backend?.config ?? {}, { ...askOf(undefined), key, epoch: 1 });
    Object.assign(env, made?.env);
  }
  if (asked > 0) return env;
  throw new ErrandError('environment/unsupported', 'wanted to make a place for the state: no provider of this stack can', {
    next: 'Nothing is needed for a state in the store, which is the default.',
  });
}

export async function* logs(parts: InfraParts, request: CaptureRequest, signal: AbortSignal): AsyncIterable<CapturedLog> {
  const record = recorded(await parts.store.read(parts.stack.name), request.resource.name);
  const { logCapture } = await parts.infraOf(record.provider);
  if (!logCapture) {
    throw new ErrandError('environment/unsupported', `wanted the logs of ${record.name}: '${record.provider}' cannot give any`, {
      next: "Use the platform's own tools.",
    });
  }
  const { name, type, providerId } = record;
  yield* logCapture.capture({ ...request, resource: { name, type, providerId } }, askOf(signal));
}
