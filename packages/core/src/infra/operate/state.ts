// Commands on the state itself. No provider is called, except for what a crash left.
import { ErrandError } from '@errand/contract';
import type { ResourceRecord, State, StateHead } from '../../model/infra/record.ts';
import type { StateChange } from '../../store/infra/port.ts';
import { withStack } from '../apply/session.ts';
import type { InfraParts } from '../apply/session.ts';
import { resourceName } from '../references/parse.ts';

/** As a new version on top; also of a state that is too damaged to be read. */
export function restore(parts: InfraParts, serial: number): Promise<StateHead> {
  return putInPlace(parts, `state restore ${serial}`, () => parts.store.version(parts.stack.name, serial));
}

/** Makes the state another one. `choose` may refuse what is there now. */
export async function putInPlace(
  parts: InfraParts,
  by: string,
  choose: (present: State) => Promise<State> | State,
): Promise<StateHead> {
  const { store, ports } = parts;
  const { name: stack } = parts.stack;
  const { value } = await withStack(parts, { by, blind: true }, async ({ context, state }) => {
    const wanted = await choose(state);
    const changes: StateChange[] = [
      ...[...wanted.resources.values()].map((record) => ({ kind: 'put' as const, record })),
      ...[...wanted.outputs].map(([name, output]) => ({ kind: 'put-output' as const, name, output })),
    ];
    const { epoch } = context;
    const about = { stack, epoch, changeSet: ports.random.id(), by, now: ports.clock.now() };
    return store.commit({ ...about, lineage: wanted.lineage, whole: true, changes });
  });
  return value;
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
