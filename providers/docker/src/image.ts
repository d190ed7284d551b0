import { ErrandError } from '@errand/contract';
import type { Ask, ErrorCode } from '@errand/contract';
import type { Engine, ImageInfo } from './client.ts';
import { EngineFailure } from './client.ts';
import { engineError, isUnreachable, trying } from './errors.ts';
import { credentialsFor } from './registry.ts';

/** Pulls the image when the engine does not have it. */
export async function ensureImage(engine: Engine, image: string, ask: Ask): Promise<ImageInfo> {
  const look = () => trying(engine, `tried to look at the image ${image}`, () => engine.image(image, ask.signal));
  const there = await look();
  if (there) return there;
  await pull(engine, withTag(image), ask);
  const pulled = await look();
  if (pulled) return pulled;
  throw new ErrandError('provider/image', `pulled the image ${image}, and the engine still does not have it`);
}

/** Without a tag the engine would pull every tag there is. */
export function withTag(image: string): string {
  return image.includes('@') || /:[^/]+$/.test(image) ? image : `${image}:latest`;
}

async function pull(engine: Engine, image: string, ask: Ask): Promise<void> {
  const credentials = await credentialsFor(image);
  const tell = progress(ask.log);
  ask.log(`pulling ${image}`);
  try {
    for await (const line of engine.pull(image, credentials, ask.signal)) {
      if (line.failed) throw new EngineFailure(line.text, { status: 500 });
      tell(line.layer, line.text);
    }
  } catch (error) {
    throw await pullError(engine, image, credentials, ask, error);
  }
}

/** A layer tells the same thing many times a second; a person wants to hear it once. */
function progress(log: (line: string) => void): (layer: string | undefined, text: string) => void {
  const last = new Map<string, string>();
  return (layer, text) => {
    const who = layer ?? '';
    if (last.get(who) === text) return;
    last.set(who, text);
    log(layer === undefined ? text : `${layer}: ${text}`);
  };
}

const reasons: Readonly<Record<number, ErrorCode>> = { 401: 'provider/auth', 403: 'provider/auth', 429: 'provider/throttled' };

/**
 * An engine gives most failed pulls the status 500 and differs in words only. Its answer to the question whether the
 * registry has the image at all carries the registry's own status, so that is asked then.
 */
async function pullError(
  engine: Engine,
  image: string,
  credentials: string | undefined,
  ask: Ask,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof EngineFailure)) return error;
  const tried = `tried to pull the image ${image}`;
  const plain = engineError(engine.address, tried, error);
  if (isUnreachable(error) || (plain instanceof ErrandError && plain.code === 'disk/full')) return plain;
  const status = (error.status ?? 0) >= 500 ? await registryStatus(engine, image, credentials, ask) : error.status;
  const code = reasons[status ?? 0] ?? 'provider/image';
  const next = code === 'provider/auth' || status === 404 ? loginHint : undefined;
  return new ErrandError(code, `${tried}: ${error.message}`, {
    cause: error,
    ...(next === undefined ? {} : { next }),
    // The registry could not be asked: that may pass.
    ...(code === 'provider/image' && status !== 404 && status !== 400 ? { retry: 'later' as const } : {}),
  });
}

const loginHint = 'Check the name. If the image is private, log in with `docker login` as the user who runs Errand.';

/** Undefined when the registry has it, or nobody answered. */
async function registryStatus(
  engine: Engine,
  image: string,
  credentials: string | undefined,
  ask: Ask,
): Promise<number | undefined> {
  try {
    await engine.distribution(image, credentials, ask.signal);
    return undefined;
  } catch (error) {
    ask.signal.throwIfAborted();
    return error instanceof EngineFailure ? error.status : undefined;
  }
}
