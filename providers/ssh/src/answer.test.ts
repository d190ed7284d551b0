import { expect, test } from 'vitest';
import { answerError, answerIn, NoAnswer, Refusal } from './answer.ts';

async function read(...pieces: string[]): Promise<string> {
  async function* source() {
    for (const piece of pieces) yield Buffer.from(piece);
  }
  let text = '';
  for await (const bytes of answerIn(source())) text += Buffer.from(bytes).toString();
  return text;
}

test('what comes after the answer’s line, however it is cut into pieces', async () => {
  const whole = 'errand-shim ok\none\ntwo';
  for (let at = 0; at <= whole.length; at++) expect(await read(whole.slice(0, at), whole.slice(at))).toBe('one\ntwo');
  expect(await read(...whole.split(/(?=[^])/))).toBe('one\ntwo');
});

test('a login shell’s greeting is left out; only a line of its own is an answer', async () => {
  expect(await read('Welcome!\nyou typed errand-shim ok\nerrand-shim ok\nreal')).toBe('real');
  await expect(read('Welcome!\n')).rejects.toThrow(NoAnswer);
  await expect(read('errand-shim o')).rejects.toThrow(NoAnswer);
  await expect(read()).rejects.toThrow(NoAnswer);
});

test('a refusal has a code and words', async () => {
  await expect(read('noise\nerrand-shim no 82 7\n')).rejects.toMatchObject({ code: 82, message: '7' });
  expect(answerError('tried to renew', new Refusal(82, '7'))).toMatchObject({
    code: 'provider/fenced',
    message: 'tried to renew: holder 7 has it now',
  });
  expect(answerError('tried', new Refusal(81, 'gone'))).toMatchObject({ code: 'provider/not-found' });
  expect(answerError('tried', new Refusal(84, 'cannot write in x'))).toMatchObject({ code: 'provider/failed', retry: 'later' });
  expect(answerError('tried', new Refusal(99, 'odd'))).toMatchObject({ code: 'provider/failed', message: 'tried: odd' });
  const other = new Error('x');
  expect(answerError('tried', other)).toBe(other);
});
