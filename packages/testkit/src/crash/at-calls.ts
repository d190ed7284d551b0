// The matrix for a real provider: dies before and after every call to it; where it talks over a line, that misbehaves, and
// each mutating call is delivered twice. The writes in between are the core's own matrix.
import { expect } from 'vitest';
import type { RoughLine } from '../faults/rough-line.ts';
import { crashMatrix } from './matrix.ts';
import type { RealProvider, ScenarioName } from './plan.ts';

const isCall = (step: string) => /^(host|runner)\./.test(step);

/** ERRAND_CRASH_ALL=1 dies at the writes too. */
export async function crashAtCalls(
  scenario: ScenarioName,
  provider: Omit<RealProvider, 'twice'>,
  line?: RoughLine,
): Promise<void> {
  const start = performance.now();
  const at = process.env['ERRAND_CRASH_ALL'] ? () => true : isCall;
  const played = await crashMatrix({ scenario, provider: { ...provider, twice: line !== undefined }, wide: 4, at });
  const { points, crashes, violations } = played;
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const cuts = line ? `, ${line.cutCount()} cuts` : '';
  const told = `${crashes} crashes of ${points}${cuts}, ${seconds} s`;
  process.stdout.write(`crash matrix: ${provider.name} ${scenario}: ${told}\n`);
  expect(violations, violations.join('\n')).toEqual([]);
  // Most of the points must have been met, and the line must have been cut, or the matrix proves nothing.
  expect(crashes).toBeGreaterThan(points / 2);
  if (line) expect(line.cutCount()).toBeGreaterThan(0);
}
