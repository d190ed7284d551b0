// `conformance.json` beside plugin.json: what to try a plugin with.
//   { "config": {…}, "drivers": { "<type>": { "config": {…}, "changed": {…}, "forced": {…}, "sensitive": ["…"], "slow": true } },
//     "stateBackend": { "name": "…", "config": {…} }, "runner": { "options": {…}, "image": "…" }, "skips": { "<scenario>": "<why>" } }
// In every text `{{name}}` is the name of the resource and `{{home}}` a directory that is removed afterwards.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrandError } from '@errand/contract';
import type { Attributes, Json } from '@errand/contract';
import type { DriverSample } from '@errand/testkit/conformance';

export const samplesName = 'conformance.json';

export interface Samples {
  /** What it is opened with. Absent: it takes none, or does without. */
  readonly config?: Attributes;
  readonly drivers: readonly DriverSample[];
  readonly stateBackend?: { readonly name: string; readonly config: Json };
  readonly runner: { readonly options?: Json; readonly image?: string };
  readonly skips: Readonly<Record<string, string>>;
}

/** Without the file there is nothing to try the drivers with; everything else can be looked at all the same. */
export async function readSamples(directory: string): Promise<Samples> {
  const file = join(directory, samplesName);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return parseSamples('{}', file);
    throw new ErrandError('config/unreadable', `read the samples ${file}: ${(error as Error).message}`, { cause: error });
  }
  return parseSamples(text, file);
}

export function parseSamples(text: string, file: string): Samples {
  const whole = objectIn(parseJson(text, file), file, 'the file', ['config', 'drivers', 'stateBackend', 'runner', 'skips']);
  const drivers = Object.entries(objectIn(whole['drivers'] ?? {}, file, '`drivers`'));
  const runner = objectIn(whole['runner'] ?? {}, file, '`runner`', ['options', 'image']);
  const skips = objectIn(whole['skips'] ?? {}, file, '`skips`');
  if (!Object.values(skips).every((why) => typeof why === 'string' && why !== ''))
    throw invalid(file, '`skips` must give the reason of each as a text');
  if (runner['image'] !== undefined && typeof runner['image'] !== 'string') throw invalid(file, '`runner.image` must be a text');
  return {
    ...(whole['config'] !== undefined && { config: objectIn(whole['config'], file, '`config`') }),
    drivers: drivers.map(([type, sample]) => sampleOf(type, sample, file)),
    ...(whole['stateBackend'] !== undefined && { stateBackend: backendOf(whole['stateBackend'], file) }),
    runner,
    skips: skips as Readonly<Record<string, string>>,
  };
}

function backendOf(value: Json, file: string): NonNullable<Samples['stateBackend']> {
  const { name, config = {} } = objectIn(value, file, '`stateBackend`', ['name', 'config']);
  if (typeof name !== 'string') throw invalid(file, '`stateBackend.name` must be the name of a backend that the plugin serves');
  return { name, config };
}

const sampleKeys = ['config', 'changed', 'forced', 'sensitive', 'slow', 'namesRepeat', 'replaces'];

function sampleOf(type: string, value: Json, file: string): DriverSample {
  const at = `\`drivers.${type}\``;
  const sample = objectIn(value, file, at, sampleKeys);
  const filledIn = (key: string) => {
    const config = sample[key];
    if (config === undefined) return undefined;
    const attributes = objectIn(config, file, `${at}.${key}`);
    return (name: string, home: string) => fill(attributes, { name, home }) as Attributes;
  };
  const config = filledIn('config');
  if (!config) throw invalid(file, `${at} has no \`config\``);
  const [changed, forced] = [filledIn('changed'), filledIn('forced')];
  const { sensitive } = sample;
  if (sensitive !== undefined && !isTexts(sensitive)) throw invalid(file, `${at}.sensitive must be a list of output names`);
  return {
    type,
    config,
    ...(changed && { changed }),
    ...(forced && { forced }),
    ...(sensitive !== undefined && { sensitive }),
    ...(sample['slow'] === true && { slow: true }),
    ...(sample['namesRepeat'] === true && { namesRepeat: true }),
    ...(sample['replaces'] === true && { replaces: true }),
  };
}

/** Every `{{word}}` that has a value. */
export function fill(value: Json, words: Readonly<Record<string, string>>): Json {
  if (typeof value === 'string') return value.replaceAll(/\{\{(\w+)\}\}/g, (whole, word: string) => words[word] ?? whole);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((one: Json) => fill(one, words));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, fill(one, words)]));
}

export function parseJson(text: string, where: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw invalid(where, `it is not JSON: ${(error as Error).message}`);
  }
}

export function objectIn(value: Json, file: string, what: string, keys?: readonly string[]): Attributes {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(file, `${what} must be an object`);
  const odd = keys && Object.keys(value).find((key) => !keys.includes(key));
  if (odd !== undefined) throw invalid(file, `${what} has the key ${JSON.stringify(odd)}; known are ${keys?.join(', ')}`);
  return value as Attributes;
}

function isTexts(value: Json): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function invalid(file: string, what: string): ErrandError {
  return new ErrandError('config/invalid', `read ${file}: ${what}`, { next: 'docs/write-a-provider.md has an example.' });
}
