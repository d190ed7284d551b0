import { ErrandError } from '@errand/contract';
import type { Json } from '@errand/contract';
import type { State, StateHead } from '../../model/infra/record.ts';
import type { InfraParts } from '../apply/session.ts';
import { fromDocument } from '../state/document.ts';
import { putInPlace } from './state.ts';

/** Makes the state what the document says, as a new version on top. */
export async function push(parts: InfraParts, document: Json, force: boolean): Promise<StateHead> {
  const wanted = fromDocument(document, parts.stack.name);
  return putInPlace(parts, 'state push', (present) => {
    if (!force) refuse(present, wanted);
    return wanted;
  });
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
