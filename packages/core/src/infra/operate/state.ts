// Commands on the state itself. No provider is called, except for what a crash left.
import { ErrandError } from '@errand/contract';
import { sameJson } from '../../base/same-json.ts';
import type { ResourceRecord, State, StateHead } from '../../model/infra/record.ts';
import type { StateChange } from '../../store/infra/port.ts';
import { withStack } from '../apply/session.ts';
import type { InfraParts } from '../apply/session.ts';
import { resourceName } from '../references/parse.ts';

export async function restore(parts: InfraParts, serial: number): Promise<StateHead> {
  const { head } = await withStack(parts, { by: `state restore ${serial}` }, async ({ context, state }) => {
    const wanted = await parts.store.version(parts.stack.name, serial);
    const changes = difference(state, wanted);
    if (changes.length > 0) await context.writer.write(...changes);
  });
  return head;
}

/** Dependencies of others follow the new name. */
export async function move(parts: InfraParts, from: string, to: string): Promise<StateHead> {
  if (!resourceName.test(to)) {
    throw new ErrandError('usage/invalid', `wanted to move ${from}: '${to}' is not a name for a resource`, {
      next: 'Use letters, digits, - and _, beginning with a letter or _.',
    });
  }
  const { head } = await withStack(parts, { by: `state mv ${from} ${to}` }, async ({ context, state }) => {
    const record = recorded(state, from);
    if (state.resources.has(to)) {
      throw new ErrandError('state/conflict', `wanted to move ${from} to ${to}: the state has a ${to} already`, {
        next: `Move or forget that one first: errand infra state rm ${to}`,
      });
    }
    const changes: StateChange[] = [
      { kind: 'drop', name: from },
      { kind: 'put', record: { ...record, name: to } },
    ];
    for (const other of state.resources.values()) {
      if (other.name === from || !other.dependencies.includes(from)) continue;
      const dependencies = other.dependencies.map((name) => (name === from ? to : name));
      changes.push({ kind: 'put', record: { ...other, dependencies } });
    }
    await context.writer.write(...changes);
  });
  return head;
}

export async function remove(parts: InfraParts, names: readonly string[]): Promise<StateHead> {
  const { head } = await withStack(parts, { by: `state rm ${names.join(' ')}` }, async ({ context, state }) => {
    for (const name of names) recorded(state, name);
    if (names.length > 0) await context.writer.write(...names.map((name) => ({ kind: 'drop' as const, name })));
  });
  return head;
}

export function recorded(state: Pick<State, 'resources' | 'stack'>, name: string): ResourceRecord {
  const record = state.resources.get(name);
  if (record) return record;
  throw new ErrandError('state/unknown', `looked for ${name} in the state of stack ${state.stack}: it is not recorded`, {
    next: 'List what is with `errand infra state list`.',
  });
}

/** What turns one state into the other. */
export function difference(from: Pick<State, 'resources' | 'outputs'>, to: Pick<State, 'resources' | 'outputs'>): StateChange[] {
  const changes: StateChange[] = [];
  for (const name of from.resources.keys()) if (!to.resources.has(name)) changes.push({ kind: 'drop', name });
  for (const name of from.outputs.keys()) if (!to.outputs.has(name)) changes.push({ kind: 'drop-output', name });
  for (const [name, record] of to.resources) {
    if (!sameJson(from.resources.get(name), record)) changes.push({ kind: 'put', record });
  }
  for (const [name, output] of to.outputs) {
    if (!sameJson(from.outputs.get(name), output)) changes.push({ kind: 'put-output', name, output });
  }
  return changes;
}
