import { ErrandError } from '@errand/contract';
import type { Json } from '@errand/contract';
import type { State, StateHead } from '../../model/infra/record.ts';
import { withStack } from '../apply/session.ts';
import type { InfraParts } from '../apply/session.ts';
import { fromDocument } from '../state/document.ts';
import { difference } from './state.ts';

/** Makes the state what the document says, as a new version on top. */
export async function push(parts: InfraParts, document: Json, force: boolean): Promise<StateHead> {
  const { name: stack } = parts.stack;
  const wanted = fromDocument(document, stack);
  const { value } = await withStack(parts, { by: 'state push' }, async ({ context, state }) => {
    if (!force) refuse(state, wanted);
    const changes = difference(state, wanted);
    if (changes.length === 0) return parts.store.head(stack);
    const { ports, store } = parts;
    return store.commit({
      stack,
      epoch: context.epoch,
      changeSet: ports.random.id(),
      by: 'state push',
      now: ports.clock.now(),
      lineage: wanted.lineage,
      changes,
    });
  });
  return value;
}

function refuse(state: State, wanted: State): void {
  const next = 'Look at both states; if the document is the right one, push it with --force.';
  if (state.serial === 0) return;
  if (state.lineage !== wanted.lineage) {
    throw new ErrandError(
      'state/conflict',
      `wanted to push a state: it is of lineage ${wanted.lineage}, the one here is of ${state.lineage}`,
      { next },
    );
  }
  if (wanted.serial < state.serial) {
    throw new ErrandError(
      'state/conflict',
      `wanted to push a state: it is at serial ${wanted.serial}, the one here at ${state.serial} already`,
      { next },
    );
  }
}
