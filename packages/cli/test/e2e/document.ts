import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from './errand.ts';
import { expectPromised, parseTranscript, runTranscript } from './transcript.ts';
import type { Outcome } from './transcript.ts';

const root = resolve(import.meta.dirname, '../../../..');

/** A document is a promise: every command in it is run, in an empty directory, on the built program. */
export function describeDocument(path: string, commands: number): void {
  describe(`the document ${path}`, () => {
    const steps = parseTranscript(readFileSync(join(root, path), 'utf8'));
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'errand-document-')));
    let outcomes: readonly Outcome[] = [];

    function folder(name: string): string {
      const made = join(base, name);
      mkdirSync(made, { recursive: true });
      return made;
    }

    beforeAll(async () => {
      const bin = folder('bin');
      writeFileSync(join(bin, 'errand'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
      chmodSync(join(bin, 'errand'), 0o755);
      const own = Object.entries(process.env).filter(([name]) => !/^(ERRAND_|XDG_|npm_|NODE_|VITEST)/.test(name));
      const env = {
        ...Object.fromEntries(own),
        PATH: [bin, dirname(process.execPath), process.env['PATH']].join(delimiter),
        HOME: folder('home'),
        TMPDIR: folder('tmp'),
        NO_COLOR: '1',
        LC_ALL: 'C',
      };
      outcomes = await runTranscript(steps, { cwd: folder('empty'), env, scratch: folder('scratch'), limit: 170_000 });
    });
    afterAll(() => rmSync(base, { recursive: true, force: true }));

    test('has commands', () => {
      expect(steps.filter((step) => step.file === undefined).length).toBeGreaterThan(commands);
    });

    test.each(steps.map((step, index) => [step.line, step.file ?? step.text.split('\n')[0] ?? '', index] as const))(
      'line %i %s',
      (_line, _text, index) => {
        const step = steps[index];
        const outcome = outcomes[index];
        if (!step || !outcome) throw new Error('the step was not run');
        expectPromised(step, outcome);
      },
    );
  });
}
