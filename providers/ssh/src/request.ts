// A job as the far side gets it on stdin: one line with its record, and the script that becomes it. Secrets are exported
// by the shell itself, so they are in no argument of any process.
import { ErrandError } from '@errand/contract';
import type { JobSpec } from '@errand/contract';
import { quote } from './quote.ts';

/** What a shell cannot export, or keeps for itself. `env` can set them, but its arguments can be seen. */
const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
const shellsOwn = new Set(
  '_ BASHOPTS BASH_ARGV0 BASH_VERSINFO DIRSTACK EGID ERRNO EUID FUNCNAME GID GROUPS HISTCMD IFS LINENO OLDPWD OPTIND PPID PWD RANDOM SECONDS SHELLOPTS UID USERNAME'.split(
    ' ',
  ),
);
const isPlain = (name: string) => plainName.test(name) && !shellsOwn.has(name);

export function jobRequest(spec: JobSpec, key: string, secrets: Readonly<Record<string, string>>): string {
  const { command } = spec;
  const argv = 'script' in command ? ['/bin/sh', '-c', command.script] : command.argv;
  const named = Object.entries({ ...spec.env, ERRAND_JOB: key }).filter(([name]) => !Object.hasOwn(secrets, name));
  const odd = named.filter(([name]) => !isPlain(name)).map(([name, value]) => `${name}=${value}`);
  const exported = [...named.filter(([name]) => isPlain(name)), ...Object.entries(secrets)];
  const words = [...(odd.length === 0 ? [] : ['"$env"', ...odd.map(quote)]), ...argv.map(quote)];
  return [
    JSON.stringify({ owner: spec.owner, key }),
    ...(odd.length === 0 ? [] : ['env=$(command -v env)']),
    ...exported.map(([name, value]) => `export ${name}=${quote(value)}`),
    `lead ${words.join(' ')}`,
    '#errand-end',
  ].join('\n');
}

/** Refuses what no shell or kernel could pass on unchanged; running something else is worse. */
export function refuseUnrunnable(spec: JobSpec): void {
  const parts = 'script' in spec.command ? [spec.command.script] : spec.command.argv;
  if ([...parts, ...Object.entries(spec.env).flat()].some((text) => text.includes('\0'))) {
    throw new ErrandError(
      'usage/invalid',
      'refused the command: an argument or variable holds a NUL byte, which no program can receive',
      {
        next: 'Pass such bytes in a file of the workspace.',
      },
    );
  }
  if (parts.length === 0) {
    throw new ErrandError('usage/invalid', 'refused the command: it names no program', { next: 'Give a command.' });
  }
  const nameless = Object.keys(spec.env).find((name) => name === '' || name.includes('='));
  if (nameless !== undefined) {
    throw new ErrandError('usage/invalid', `refused the variable ${JSON.stringify(nameless)}: that is no name`);
  }
  const unsafe = Object.keys(spec.secretEnv).find((name) => !isPlain(name));
  if (unsafe !== undefined) {
    throw new ErrandError(
      'usage/invalid',
      `refused the secret ${JSON.stringify(unsafe)}: a shell cannot pass a variable of that name on without showing it`,
      { next: 'Use a name of letters, digits and _, which no shell keeps for itself.' },
    );
  }
}
