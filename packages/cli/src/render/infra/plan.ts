import type { Action, DriftSeen, Plan } from '@errand/core';
import type { Style } from '../style.ts';
import { listText, plural, visible } from '../text.ts';
import { changeLines, desiredLines, markOf, paintMark } from './change.ts';
import { problemLines } from './diagnostic.ts';
import { outputChanges, outputLines } from './outputs.ts';
import type { Recorded } from './outputs.ts';

/** What would happen and why, for a person; the last line sums it up. */
export function planLines(plan: Plan, recorded: Recorded, style: Style): string[] {
  const outputs = outputChanges(plan, recorded);
  const sections = [
    section(
      'Changed outside Errand since the last look:',
      plan.drift.flatMap((one) => driftLines(one, style)),
      style,
    ),
    section(
      headline(plan),
      plan.actions.flatMap((action) => actionLines(action, style)),
      style,
    ),
    section('Outputs:', outputLines(outputs, style), style),
    section('Left out:', plan.excluded.length === 0 ? [] : [`  ${listText(plan.excluded)}`], style),
    plan.diagnostics.flatMap(problemLines),
  ].filter((lines) => lines.length > 0);
  return [...sections.flatMap((lines) => [...lines, '']), summary(plan, outputs.length, style)];
}

export function hasChanges(plan: Plan, recorded: Recorded): boolean {
  return plan.actions.length > 0 || outputChanges(plan, recorded).length > 0;
}

function headline({ purpose, stack }: Plan): string {
  const of = stack === 'default' ? '' : ` (${visible(stack)})`;
  return purpose === 'destroy' ? `To be destroyed${of}:` : `To be done${of}:`;
}

function section(title: string, lines: readonly string[], style: Style): string[] {
  return lines.length === 0 ? [] : [style.bold(title), ...lines];
}

function actionLines(action: Action, style: Style): string[] {
  const mark = markOf(action);
  const where = style.dim(`(${visible(action.type)} on ${visible(action.provider)})`);
  const guarded = action.current?.protected === true && (action.kind === 'delete' || action.kind === 'replace');
  const guard = guarded ? style.yellow(`  # protected: needs --allow ${visible(action.resource)}`) : '';
  const changed = action.changes.flatMap((change) => changeLines(change, style));
  const shown =
    action.kind === 'create' && changed.length === 0 && action.desired ? desiredLines(action.desired, style) : changed;
  return [
    `  ${paintMark(mark, style)} ${style.bold(visible(action.resource))} ${where}${guard}`,
    `      ${style.dim(`because ${becauseText(action.because)}`)}`,
    ...shown.map((line) => `      ${line}`),
  ];
}

const REASONS = 3;

/** Each changed field may be a reason of its own; the fields are listed below anyway. */
function becauseText(because: readonly string[]): string {
  return listText(because, REASONS);
}

function driftLines({ resource, type, class: kind, changes }: DriftSeen, style: Style): string[] {
  const title = `${style.bold(visible(resource))} ${style.dim(`(${visible(type)})`)}`;
  if (kind === 'ghost') return [`  ${paintMark('-', style)} ${title} is gone`];
  return [
    `  ${paintMark('~', style)} ${title}`,
    ...changes.flatMap((change) => changeLines(change, style)).map((line) => `      ${line}`),
  ];
}

function summary(plan: Plan, outputs: number, style: Style): string {
  const count = (kind: Action['kind']) => plan.actions.filter((action) => action.kind === kind).length;
  if (plan.actions.length === 0) {
    const as = plan.unchanged === 1 ? '1 resource is' : `${plan.unchanged} resources are`;
    const stands = plan.purpose === 'destroy' ? 'Nothing is left to destroy.' : `No changes: ${as} as declared.`;
    const more = outputs > 0 ? ` ${plural(outputs, 'output')} to record.` : '';
    return style.bold(plan.excluded.length > 0 ? `${stands} ${plan.excluded.length} left out.${more}` : `${stands}${more}`);
  }
  const parts = [
    `${count('create')} to create`,
    `${count('update')} to update`,
    `${count('replace')} to replace`,
    `${count('delete')} to delete`,
    ...(count('read') > 0 ? [`${count('read')} to read`] : []),
    ...(count('forget') > 0 ? [`${count('forget')} to forget`] : []),
  ];
  return style.bold(`Plan: ${parts.join(', ')}.`);
}
