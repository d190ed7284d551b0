// Starting a job inside a standing container. The shim gives each name once, so a start may be repeated at any time, by
// anybody; a container that is down is brought up again first, with the files and records that are there.
import { ErrandError } from '@errand/contract';
import type { JobSpec, SecretCall } from '@errand/contract';
import type { Engine } from '../client.ts';
import type { Engines } from '../engines.ts';
import { engineError, hasStatus } from '../errors.ts';
import { readOptions } from '../options.ts';
import type { Place } from '../place.ts';
import { argvOf, digestOf } from '../request.ts';
import { bringUp } from './container.ts';
import type { Target } from './lines.ts';
import { isBroken } from './reach.ts';
import { settingsOf } from './settings.ts';
import { answers, ask as types, number32, number64, text } from './wire.ts';
import type { Reply } from './wire.ts';

export interface InsideStart {
  readonly engines: Engines;
  readonly engine: Engine;
  readonly place: Place;
  readonly spec: JobSpec;
  readonly name: string;
  readonly call: SecretCall;
}

/** Whether the job wants just what the place's container has. */
export function fitsInside(place: Place, spec: JobSpec): boolean {
  return place.settings !== '' && place.settings === settingsOf({ ...spec, image: spec.image ?? place.image });
}

/** A line can break twice in a row; more than that is an engine that cannot be reached. */
const attempts = 3;

export async function startInside(start: InsideStart): Promise<void> {
  const { engine, call } = start;
  const payload = await orderOf(start);
  for (let attempt = 1; ; attempt++) {
    try {
      return judge(start, await send(start, payload));
    } catch (error) {
      call.signal.throwIfAborted();
      const passing = isBroken(error) || hasStatus(error, 404) || hasStatus(error, 409);
      if (!passing || attempt === attempts) throw engineError(engine.address, `tried to start the job ${call.key}`, error);
    }
  }
}

async function send(start: InsideStart, payload: Buffer): Promise<Reply | undefined> {
  const { engines, engine, call } = start;
  const target = await targetOf(start);
  const any = await engines.lines.to(engine, target, 'any', call.signal);
  const line = any.fits(payload) ? any : await engines.lines.to(engine, target, 'own', call.signal);
  return (await line.ask(types.start, payload, call.signal)).at(-1);
}

async function targetOf({ engines, engine, place, spec, call }: InsideStart): Promise<Target> {
  const known = engines.lines.known(engine, place.name);
  if (known?.work === place.work) return known;
  return { place: place.name, id: await bringUp(engines, engine, place, spec, call), work: place.work };
}

/** Variables, secrets among them, go to the shim over its line: they are in no file and no argument. */
async function orderOf({ place, spec, name, call }: InsideStart): Promise<Buffer> {
  const secrets: Record<string, string> = {};
  for (const [variable, reference] of Object.entries(spec.secretEnv)) secrets[variable] = await call.secret(reference);
  const env = Object.entries({ ...spec.env, ...secrets, ERRAND_JOB: call.key }).map(([key, value]) => `${key}=${value}`);
  const argv = argvOf(spec);
  return Buffer.concat([
    text(name),
    text(place.workdir),
    text(writeAbout({ key: call.key, owner: spec.owner, digest: digestOf(spec, place.name) })),
    number64(call.epoch),
    number64(spec.timeout ?? readOptions(spec.options).profile.timeout ?? 0),
    number64(spec.grace),
    number32(argv.length),
    number32(env.length),
    ...[...argv, ...env].map(text),
  ]);
}

export interface About {
  readonly key: string;
  readonly owner: string;
  readonly digest: string;
}

/** The key has the first line, for the shim looks for it there. */
export const writeAbout = (about: About) => `${about.key}\n${JSON.stringify(about)}`;

export function readAbout(words: string): About | undefined {
  try {
    return JSON.parse(words.slice(words.lastIndexOf('\n') + 1)) as About;
  } catch {
    return undefined;
  }
}

function judge({ place, spec, call }: InsideStart, reply: Reply | undefined): void {
  const tried = `tried to start the job ${call.key}`;
  const about = reply?.payload.toString() ?? '';
  if (reply?.extra === answers.done) return;
  if (reply?.extra === answers.existed) {
    // An empty one was stopped before it was started; whoever waits hears so.
    if (about === '' || readAbout(about)?.digest === digestOf(spec, place.name)) return;
    throw new ErrandError('provider/conflict', `${tried}: another job was started under that key`, {
      next: 'Use a new key for a new job.',
    });
  }
  if (reply?.extra === answers.fenced) {
    throw new ErrandError(
      'provider/fenced',
      `refused a call of holder ${call.epoch} to the place ${place.key}: a newer holder has it`,
      { next: 'Another Errand process has taken over; let it go on.' },
    );
  }
  throw new ErrandError('provider/failed', `${tried}: the standing container could not make its record or its process`, {
    next: 'See whether the engine’s disk is full, or the place’s limit of processes is reached.',
    retry: 'later',
  });
}
