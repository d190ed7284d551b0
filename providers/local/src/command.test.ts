import { expect, test } from 'vitest';
import { commandOf, describeFailure } from './command.ts';
import type { StartRequest } from './protocol.ts';

const request: StartRequest = {
  id: 1,
  base: '/p/j.x',
  placeDir: '/p',
  cancelled: '/c',
  epoch: 1,
  mark: 'm',
  command: { argv: ['prog', 'a b', ''] },
  cwd: '/w',
  env: {},
  secrets: [],
  grace: 0,
};
const failure = (code: string) => Object.assign(new Error(code), { code });

test('argv goes as it is, a script through sh, both inside the sandbox if there is one', () => {
  expect(commandOf(request)).toEqual({ program: 'prog', args: ['a b', ''] });
  expect(commandOf({ ...request, command: { script: 'echo $x' } })).toEqual({ program: '/bin/sh', args: ['-c', 'echo $x'] });
  const inside = commandOf({ ...request, sandbox: { program: 'bwrap', hide: '/home-of-errand' } });
  expect(inside.program).toBe('bwrap');
  expect(inside.args.slice(-3)).toEqual(['prog', 'a b', '']);
  expect(inside.args.join(' ')).toContain('--tmpfs /home-of-errand --bind /w /w');
});

test('a program’s fault is an exit, ours is an error with a reason', () => {
  expect(describeFailure(request, failure('ENOENT'), true)).toEqual({
    end: { kind: 'exited', code: 127 },
    line: 'errand: cannot run "prog": no such program\n',
  });
  expect(describeFailure(request, failure('EACCES'), true).end).toEqual({ kind: 'exited', code: 126 });
  expect(describeFailure(request, failure('E2BIG'), true).end).toEqual({ kind: 'exited', code: 126 });
  expect(describeFailure(request, failure('EAGAIN'), true).end).toMatchObject({ kind: 'errored', reason: 'capacity' });
  expect(describeFailure(request, failure('ENOENT'), false).end).toMatchObject({ kind: 'errored', reason: 'workspace' });
  expect(describeFailure({ ...request, command: { argv: [] } }, failure('ERR_INVALID_ARG_VALUE'), true).end).toMatchObject({
    code: 127,
  });
});
