import { ErrandError } from '@errand/contract';
import type { RunRequest } from '@errand/core';
import { resolve } from 'node:path';
import type { Arguments } from '../parse.ts';
import { visible } from '../render/text.ts';

/** The request that the options of `run` and `lease exec` describe; where it runs is the caller's part. */
export function jobRequest(args: Arguments, cwd: string): Omit<RunRequest, 'environment' | 'lease' | 'image'> {
  const collect = args.list('collect');
  const out = args.text('out');
  if (out !== undefined && collect.length === 0) {
    throw new ErrandError('usage/invalid', '--out was given, but no --collect says what to bring back', {
      next: "Add --collect GLOB, such as --collect 'report/**'.",
    });
  }
  if (args.flag('sync-back') && args.text('workspace') === undefined) {
    throw new ErrandError('usage/invalid', '--sync-back was given, but no --workspace says what to sync', {
      next: 'Add --workspace DIR, such as --workspace .',
    });
  }
  return {
    ...commandOf(args),
    env: pairs('env', args.list('env')),
    secrets: secretReferences(args.list('secret')),
    labels: pairs('label', args.list('label')),
    ...optional('workspace', absolute(args.text('workspace'), cwd)),
    ...(collect.length > 0 ? { collect, out: resolve(cwd, out ?? '.') } : {}),
    ...(args.flag('sync-back') && { syncBack: true }),
    ...optional('timeout', args.text('timeout')),
    ...optional('pendingTimeout', args.text('pending-timeout')),
    ...optional('grace', args.text('grace')),
    ...optional('idempotencyKey', args.text('idempotency-key')),
  };
}

function commandOf(args: Arguments): Pick<RunRequest, 'command' | 'script'> {
  const script = args.text('script');
  if (script !== undefined && args.argv !== undefined) {
    throw new ErrandError('usage/invalid', '--script and a command after -- were both given', { next: 'Give one of them.' });
  }
  if (script !== undefined) return { script };
  if (args.argv === undefined || args.argv.length === 0) {
    throw new ErrandError('usage/invalid', 'there is no command to run', {
      next: "Put it after --, such as errand run -- make test, or give --script 'make && make test'.",
    });
  }
  return { command: args.argv };
}

/** `K=V` each; V may hold further `=`. */
export function pairs(option: 'env' | 'label', given: readonly string[]): Record<string, string> {
  const result: Record<string, string> = {};
  for (const pair of given) {
    const equals = pair.indexOf('=');
    if (equals <= 0) {
      throw new ErrandError('usage/invalid', `--${option} takes NAME=VALUE, but got ${quoted(equals === -1 ? pair : '=…')}`, {
        next: `Write --${option} NAME=VALUE.`,
      });
    }
    result[pair.slice(0, equals)] = pair.slice(equals + 1);
  }
  return result;
}

/** References only. What was given instead of one may be the secret itself, so no message repeats it. */
function secretReferences(given: readonly string[]): Record<string, string> {
  const result: Record<string, string> = {};
  for (const pair of given) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, Math.max(0, equals));
    if (!/^[A-Za-z_]\w*$/.test(name) || !pair.startsWith('secret://', equals + 1)) {
      const known = /^[A-Za-z_]\w*$/.test(name) ? name : 'NAME';
      throw new ErrandError('secret/invalid', `--secret ${known} was not given a reference that begins with secret://`, {
        next: `Write --secret ${known}=secret://env/VARIABLE or --secret ${known}=secret://file/PATH; values do not belong on a command line.`,
      });
    }
    result[name] = pair.slice(equals + 1);
  }
  return result;
}

function absolute(path: string | undefined, cwd: string): string | undefined {
  return path === undefined ? undefined : resolve(cwd, path);
}

export function optional<K extends string>(key: K, value: string | undefined): { readonly [P in K]?: string } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]?: string });
}

function quoted(text: string): string {
  return `'${visible(text)}'`;
}
