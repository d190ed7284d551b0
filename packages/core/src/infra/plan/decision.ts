import type { Attributes, ResourceDiff, ResourceOutput } from '@errand/contract';
import type { PlannedChange } from '../../model/infra/plan.ts';
import type { DeclaredResource } from '../../model/infra/stack.ts';
import type { Resolved } from '../references/resolve.ts';
import type { Seen } from './types.ts';

/** A wanted resource on its way through the plan. */
export interface Candidate {
  readonly resource: DeclaredResource;
  /** With the size's keys; still a template. */
  readonly template: Attributes;
  readonly resolved: Resolved<Attributes>;
  readonly seen: Seen | undefined;
  /** References to secrets behind which there is another value than the one that was applied. */
  readonly renewed: ReadonlySet<string>;
}

export type Verdict =
  | { readonly kind: 'none' }
  | { readonly kind: 'create'; readonly because: readonly string[] }
  | { readonly kind: 'update' | 'replace'; readonly because: readonly string[]; readonly changes: readonly PlannedChange[] }
  /** Somebody else made it: it is taken over, and changed where that is needed. */
  | {
      readonly kind: 'adopt';
      readonly found: ResourceOutput;
      readonly because: readonly string[];
      readonly changes: readonly PlannedChange[];
    };

/** What follows from the driver's word; `diff` has neither secrets nor ignored paths any more. */
export function verdictOf(diff: ResourceDiff, changes: readonly PlannedChange[]): Exclude<Verdict, { kind: 'adopt' }> {
  const forced = changes.filter((change) => change.forceNew);
  if (diff.needsReplace || forced.length > 0) {
    const because =
      forced.length > 0 ? forced.map((change) => `${change.path} cannot be changed in place`) : ['its driver wants it replaced'];
    return { kind: 'replace', because, changes };
  }
  const late = changes.some((change) => change.unknown);
  if (!diff.needsUpdate && !late) return { kind: 'none' };
  return { kind: 'update', because: changes.length > 0 ? changes.map(reason) : ['its driver wants it updated'], changes };
}

function reason(change: PlannedChange): string {
  return change.unknown ? `${change.path} is known after apply` : `${change.path} differs`;
}
