import type { Lease, Outcome, Run, StoredEvent } from '@errand/core';
import { conflictText, syncText } from './sync.ts';
import type { Style } from './style.ts';
import { table } from './table.ts';
import { commandText, visible } from './text.ts';
import { duration, iso, relative } from './time.ts';

export function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'exited':
      return `exited ${outcome.code}`;
    case 'signalled':
      return `ended by ${outcome.signal}`;
    case 'cancelled':
      return 'cancelled';
    case 'timed-out':
      return outcome.after === 'pending' ? 'timed out before it started' : 'timed out';
    case 'lost':
      return 'lost';
    case 'errored':
      break;
  }
  return `errored (${outcome.reason})`;
}

export function runTable(runs: readonly Run[], style: Style, now: number, width?: number): string[] {
  const head = ['RUN', 'STATUS', 'ENVIRONMENT', 'CREATED', 'TOOK', 'COMMAND'].map((text) => ({ text, paint: style.bold }));
  const rows = runs.map((run) => [
    { text: run.id },
    { text: run.outcome ? outcomeText(run.outcome) : run.status, paint: outcomePaint(run, style) },
    { text: visible(run.spec.environment) },
    { text: relative(run.createdAt, now), paint: style.dim },
    { text: tookText(run, now) },
    { text: commandText(run.spec.command) },
  ]);
  return table(head, rows, width);
}

export function runDetails(
  shown: { readonly run: Run; readonly lease: Lease | undefined; readonly events: readonly StoredEvent[] },
  style: Style,
  now: number,
): string[] {
  const { run, lease, events } = shown;
  const rows: [string, string | undefined][] = [
    ['run', style.bold(run.id)],
    ['status', run.status + (run.cancel && run.status !== 'closed' ? ` (asked to end: ${run.cancel})` : '')],
    ['outcome', run.outcome && outcomePaint(run, style)(outcomeText(run.outcome))],
    ['because', run.outcome && becauseText(run.outcome)],
    ['problem', run.problem === undefined ? undefined : style.yellow(visible(run.problem))],
    ['synced back', run.sync && syncText(run.sync)],
    ...(run.sync?.conflicts ?? []).map((one): [string, string] => ['', style.yellow(conflictText(one))]),
    ['environment', `${visible(run.spec.environment)} (${visible(run.spec.provider)})`],
    ['command', commandText(run.spec.command)],
    [
      'labels',
      Object.entries(run.spec.labels)
        .map(([key, value]) => visible(`${key}=${value}`))
        .join(' ') || undefined,
    ],
    ['key', run.key === undefined ? undefined : visible(run.key)],
    ['created', `${iso(run.createdAt)} (${relative(run.createdAt, now)})`],
    ['took', tookText(run, now) || undefined],
    ['lease', lease ? `${lease.id} (${lease.status})` : run.lease],
    ['output', `errand logs ${run.id}${run.status === 'closed' ? '' : ' --follow'}`],
  ];
  const lines = rows.filter(([, value]) => value !== undefined).map(([name, value]) => `${style.dim(name.padEnd(12))} ${value}`);
  const recent = events.slice(-10);
  if (recent.length > 0) lines.push('', style.bold('EVENTS'));
  return [...lines, ...recent.map((event) => `${style.dim(iso(event.at))} ${event.subject} ${visible(event.type)}`)];
}

/** The evidence or the message, and what to do next. */
export function becauseText(outcome: Outcome): string | undefined {
  if (outcome.kind === 'lost') return visible(outcome.evidence);
  if (outcome.kind !== 'errored') return undefined;
  return visible(outcome.next === undefined ? outcome.message : `${outcome.message}; next: ${outcome.next}`);
}

function tookText(run: Run, now: number): string {
  if (run.startedAt === undefined) return '';
  return duration((run.endedAt ?? run.closedAt ?? now) - run.startedAt);
}

function outcomePaint(run: Run, style: Style): (text: string) => string {
  if (!run.outcome) return style.yellow;
  return run.outcome.kind === 'exited' && run.outcome.code === 0 ? style.green : style.red;
}
