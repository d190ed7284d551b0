import type { Json } from '@errand/contract';
import type { ResourceRecord, StackLock, StateVersion } from '@errand/core';
import type { Style } from '../style.ts';
import { table } from '../table.ts';
import { visible } from '../text.ts';
import { iso, relative } from '../time.ts';
import { leaves, SENSITIVE, valueText } from './value.ts';

export function recordTable(records: readonly ResourceRecord[], style: Style, now: number, width?: number): string[] {
  const head = ['RESOURCE', 'TYPE', 'PROVIDER', 'STATUS', 'CHANGED', 'ID'].map((text) => ({ text, paint: style.bold }));
  const rows = records.map((record) => [
    { text: visible(record.name) },
    { text: visible(record.type) },
    { text: visible(record.provider) },
    { text: recordStatus(record) },
    { text: relative(record.updatedAt, now), paint: style.dim },
    { text: visible(record.providerId) },
  ]);
  return table(head, rows, width);
}

function recordStatus({ status, tainted, deposed }: ResourceRecord): string {
  const words = [visible(status) || '-', tainted && 'tainted', deposed.length > 0 && `${deposed.length} deposed`];
  return words.filter((word) => word !== false).join(', ');
}

export function recordDetails(record: ResourceRecord, style: Style, now: number): string[] {
  const rows: [string, string | undefined][] = [
    ['resource', style.bold(visible(record.name))],
    ['type', visible(record.type)],
    ['provider', `${visible(record.provider)} (${visible(record.use)})`],
    ['id', visible(record.providerId)],
    ['status', recordStatus(record)],
    ['from', record.source],
    ['owner', record.owner === undefined ? undefined : visible(record.owner)],
    ['protected', record.protected ? 'yes' : undefined],
    ['depends on', record.dependencies.map(visible).join(', ') || undefined],
    ['created', `${iso(record.createdAt)} (${relative(record.createdAt, now)})`],
    ['changed', `${iso(record.updatedAt)} (${relative(record.updatedAt, now)})`],
    ...record.deposed.map(({ key, providerId }): [string, string] => [
      'deposed',
      `${visible(providerId)} (${visible(key)}), still to be deleted`,
    ]),
  ];
  const lines = rows.filter(([, value]) => value !== undefined).map(([name, value]) => `${style.dim(name.padEnd(10))} ${value}`);
  const hidden = (name: string) => record.sensitive.includes(name);
  return [...lines, ...values('CONFIG', record.config, () => false, style), ...values('OUTPUTS', record.outputs, hidden, style)];
}

function values(title: string, of: Json, hidden: (name: string) => boolean, style: Style): string[] {
  const found = leaves(of).filter(({ path }) => path !== '');
  if (found.length === 0) return [];
  const line = (path: string, value: Json) =>
    `  ${visible(path)}: ${hidden(path.split('.')[0] ?? '') ? SENSITIVE : valueText(value)}`;
  return ['', style.bold(title), ...found.map(({ path, value }) => line(path, value))];
}

export function historyTable(versions: readonly StateVersion[], style: Style, now: number, width?: number): string[] {
  const head = ['SERIAL', 'WHEN', 'RESOURCES', 'BY'].map((text) => ({ text, paint: style.bold }));
  const rows = versions.map(({ serial, updatedAt, resources, by }) => [
    { text: String(serial) },
    { text: relative(updatedAt, now), paint: style.dim },
    { text: String(resources) },
    { text: visible(by) },
  ]);
  return table(head, rows, width);
}

export function lockText({ stack, owner, holder, reason, takenAt, heldUntil }: StackLock, now: number): string {
  const who = `${visible(owner)} (process ${holder.pid} on ${visible(holder.machine)})`;
  const beat = heldUntil < now ? `; its heartbeat stopped ${relative(heldUntil, now)}` : '';
  return `the state of '${visible(stack)}' is locked by ${who} for ${visible(reason)}, since ${iso(takenAt)} (${relative(takenAt, now)})${beat}`;
}
