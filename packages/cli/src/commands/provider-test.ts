import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ErrandError, isErrandError } from '@errand/contract';
import type { Attributes } from '@errand/contract';
import { conformance } from '../author/conformance.ts';
import { objectIn, parseJson } from '../author/samples.ts';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import type { Context } from '../context.ts';
import { table } from '../render/table.ts';
import { visible } from '../render/text.ts';

interface Result {
  readonly suite: string;
  readonly scenario: string;
  readonly result: 'held' | 'broken' | 'skipped';
  readonly why: string;
  readonly milliseconds: number;
}

/** A plugin that hangs must not hang whoever tests it. */
const longest = 120_000;

export const providerTestCommand: Action = async (context, args) => {
  const directory = resolve(context.cwd, args.positional(0) ?? '.');
  const only = args.list('only').map((text) => text.toLowerCase());
  const given = context.config;
  const said: string[] = [];
  const config = given === undefined ? {} : { config: await readConfig(given, context.cwd) };
  const suites = await conformance(directory, { ...config, log: (line) => void said.push(line) });
  const chosen = suites.flatMap(({ suite, cases }) => cases.map((one) => ({ suite, ...one }))).filter(isChosen);
  if (chosen.length === 0) {
    throw new ErrandError('usage/invalid', `looked for scenarios with ${only.join(' or ')} in their name: there is none`, {
      next: 'Leave --only out to see them all.',
    });
  }
  const results: Result[] = [];
  for (const { suite, name, run } of chosen) {
    const begun = context.now();
    said.length = 0;
    const answer = await inTime(run).catch((error: unknown) => ({ broken: error }));
    const result = resultOf(answer);
    results.push({ suite, scenario: name, ...result, milliseconds: context.now() - begun });
    if (context.json) await printJson(context, results.at(-1));
    if (result.result !== 'broken') continue;
    await context.say(`${suite}: ${name}: broken${said.length > 0 ? '; meanwhile the plugin said' : ''}`);
    for (const line of said.slice(-10)) await context.say(`  ${visible(line)}`);
  }
  const count = (which: Result['result']) => results.filter(({ result }) => result === which).length;
  if (!context.json) await printTable(context, results);
  await context.say(`${count('held')} held, ${count('broken')} broken, ${count('skipped')} skipped`);
  return count('broken') > 0 ? 1 : 0;

  function isChosen({ suite, name }: { readonly suite: string; readonly name: string }): boolean {
    return only.length === 0 || only.some((text) => `${suite}: ${name}`.toLowerCase().includes(text));
  }
};

async function inTime(run: () => Promise<string | undefined>): Promise<string | undefined> {
  let alarm: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    alarm = setTimeout(() => reject(new Error(`it did not come to an end within ${longest / 1000} s`)), longest);
  });
  try {
    return await Promise.race([run(), late]);
  } finally {
    clearTimeout(alarm);
  }
}

function resultOf(answer: string | undefined | { readonly broken: unknown }): Pick<Result, 'result' | 'why'> {
  if (answer === undefined) return { result: 'held', why: '' };
  if (typeof answer === 'string') return { result: 'skipped', why: answer };
  const { broken } = answer;
  const text = broken instanceof Error ? broken.message : String(broken);
  return { result: 'broken', why: isErrandError(broken) ? `${broken.code}: ${text}` : text };
}

async function printTable(context: Context, results: readonly Result[]): Promise<void> {
  const { bold, red, green, dim } = context.style;
  const paint = { held: green, broken: red, skipped: dim };
  const head = ['SCENARIO', 'RESULT', 'WHY'].map((text) => ({ text, paint: bold }));
  const rows = results.map(({ suite, scenario, result, why }) => [
    { text: visible(`${suite}: ${scenario}`) },
    { text: result, paint: paint[result] },
    { text: visible(why.replaceAll(/\s+/g, ' ')) },
  ]);
  for (const line of table(head, rows)) await printLine(context, line);
}

/** A text that begins like an object is one; anything else is a file. */
async function readConfig(given: string, cwd: string): Promise<Attributes> {
  if (given.trimStart().startsWith('{')) return objectIn(parseJson(given, '--config'), '--config', 'the config');
  const file = resolve(cwd, given);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ErrandError('config/unreadable', `read the config of the plugin, ${file}: ${(error as Error).message}`, {
      next: 'Name a file with --config, or write the JSON itself.',
      cause: error,
    });
  });
  return objectIn(parseJson(text, file), file, 'the config');
}
