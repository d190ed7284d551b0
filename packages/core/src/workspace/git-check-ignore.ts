// One git that answers for many paths, one after the other, whether its rules ignore them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { ErrandError } from '@errand/contract';
import { gitEnvironment } from './git.ts';

export interface CheckIgnore extends AsyncDisposable {
  /** The path need not exist; no link may be on the way to it. */
  ask(path: string): Promise<boolean>;
}

/** Undefined when git is not installed or ignores the directory as a whole: then it has no say in what is in it. */
export async function openCheckIgnore(
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<CheckIgnore | undefined> {
  // Without the index: a path inside a submodule that is not checked out would end the conversation.
  const options = ['-c', 'core.fsmonitor=false', 'check-ignore', '--no-index', '-z', '-v', '-n', '--stdin'];
  const git = spawn('git', options, { cwd: directory, env: gitEnvironment(env), stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(git, 'close').then(
    () => 'ended' as const,
    (error: unknown) => (error instanceof Error && 'code' in error && error.code === 'ENOENT' ? ('no-git' as const) : 'ended'),
  );
  let said = '';
  git.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(0, 500)));
  // A git that is gone is told by the end of its output.
  git.stdin.on('error', () => {});
  const fields = splitFields(git.stdout);

  async function ask(path: string): Promise<boolean> {
    // A colon in front would be taken for something else than a path.
    git.stdin.write(`${path.startsWith(':') ? './' : ''}${path}\0`);
    // Source, line, pattern and path; all but the last are empty when nothing matches.
    const answer = [await fields.next(), await fields.next(), await fields.next(), await fields.next()];
    if (answer.some((field) => field.done)) {
      const why = (await ended) === 'no-git' ? 'git is not installed' : said.trim();
      throw new ErrandError('workspace/unreadable', `cannot learn what git ignores in ${directory}: ${why}`, {
        next: 'Make `git status` work in that directory.',
      });
    }
    const pattern = answer[2]?.value ?? '';
    return pattern !== '' && !pattern.startsWith('!');
  }

  const check: CheckIgnore = {
    ask,
    async [Symbol.asyncDispose]() {
      git.stdin.destroy();
      git.kill();
      await ended;
    },
  };
  const spawned = await Promise.race([
    once(git, 'spawn').then(
      () => 'spawned' as const,
      () => ended,
    ),
    ended,
  ]);
  if (spawned === 'no-git') return undefined;
  if (!(await ask('.'))) return check;
  await check[Symbol.asyncDispose]();
  return undefined;
}

async function* splitFields(output: NodeJS.ReadableStream): AsyncGenerator<string, undefined> {
  let rest = '';
  output.setEncoding('utf8');
  for await (const text of output as AsyncIterable<string>) {
    const parts = (rest + text).split('\0');
    rest = parts.pop() ?? '';
    yield* parts;
  }
  return undefined;
}
