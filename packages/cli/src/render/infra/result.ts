import type { ApplyResult, Plan, StepOutcome } from '@errand/core';
import { listText, plural, visible } from '../text.ts';
import { seconds, stepWords } from './step.ts';

/** `3 created, 1 updated`: what was really done, resource by resource. */
export function resultLine(plan: Plan, result: ApplyResult, ms: number): string {
  const status = new Map(result.outcomes.map((one) => [one.step, one.status]));
  const done = { create: 0, update: 0, replace: 0, delete: 0, read: 0, forget: 0 };
  for (const { kind, steps } of plan.actions) if (steps.every(({ id }) => status.get(id) === 'done')) done[kind] += 1;
  const made = [`${done.create} created`, `${done.update} updated`, `${done.replace} replaced`];
  const parts = [
    ...(plan.purpose === 'destroy' ? [] : made),
    `${done.delete} deleted`,
    ...(done.read > 0 ? [`${done.read} read`] : []),
    ...(done.forget > 0 ? [`${done.forget} forgotten`] : []),
  ];
  const word = plan.purpose === 'destroy' ? 'Destroy' : 'Apply';
  return `${word}: ${parts.join(', ')} in ${seconds(ms)}.`;
}

type Failed = Extract<StepOutcome, { readonly status: 'failed' }>;
type Skipped = Extract<StepOutcome, { readonly status: 'skipped' }>;

/** What did not happen: each failure with its cause and the next step, and who was skipped because of whom. */
export function failureLines(plan: Plan, result: ApplyResult): string[] {
  const failed = result.outcomes.filter((one): one is Failed => one.status === 'failed');
  const skipped = result.outcomes.filter((one): one is Skipped => one.status === 'skipped');
  const words = stepWords(plan);
  const lines: string[] = [];
  if (failed.length + skipped.length + result.failures.length > 0) {
    const counts = [
      failed.length > 0 && `${failed.length} failed`,
      skipped.length > 0 && `${skipped.length} skipped`,
      result.failures.length > 0 && `${plural(result.failures.length, 'problem')} at the end`,
    ].filter((part) => part !== false);
    lines.push(`not everything was done: ${counts.join(', ')}`);
  }
  for (const { step, resource, error } of failed) {
    lines.push(`  ${visible(resource)}: ${words(step).doing} failed (${visible(error.code)}): ${visible(error.message)}`);
    if (error.next !== undefined) lines.push(`    next: ${visible(error.next)}`);
  }
  for (const { resource, action, error } of result.failures)
    lines.push(`  ${visible(resource)}: ${visible(action)} failed: ${visible(error)}`);
  for (const [because, names] of groupSkipped(skipped)) {
    lines.push(`  skipped because ${visible(because)}: ${listText(names)}`);
  }
  return lines;
}

function groupSkipped(skipped: readonly Skipped[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const { because, resource } of skipped) {
    const names = groups.get(because) ?? [];
    groups.set(because, names);
    if (names.at(-1) !== resource) names.push(resource);
  }
  return groups;
}
