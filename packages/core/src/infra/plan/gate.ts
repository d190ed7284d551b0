// What must not be lost by accident. Covers replacements and deletions, also of a whole stack.
import { ErrandError } from '@errand/contract';
import type { Action, Plan } from '../../model/infra/plan.ts';
import type { State } from '../../model/infra/record.ts';
import type { Stack } from '../../model/infra/stack.ts';
import { requireKnown } from './target.ts';

export interface Blocker {
  readonly resource: string;
  readonly kind: 'replace' | 'delete';
}

/** Protected by the file or by what is recorded: taking the word out of the file does not lift it in the same apply. */
export function blockersOf(plan: Pick<Plan, 'actions'>, allow: readonly string[] = []): readonly Blocker[] {
  return plan.actions.flatMap((action) => {
    const { kind, resource } = action;
    if ((kind !== 'replace' && kind !== 'delete') || !endsIt(action) || allow.includes(resource)) return [];
    return action.desired?.protected || action.current?.protected ? [{ resource, kind }] : [];
  });
}

/** A delete of nothing but earlier selves leaves the resource. */
function endsIt(action: Action): boolean {
  return action.kind === 'replace' || action.steps.some((step) => step.deposed === undefined);
}

/** Throws `infra/protected` naming every blocker; before the first step. */
export function requireAllowed(plan: Pick<Plan, 'actions'>, allow: readonly string[] = []): void {
  const blockers = blockersOf(plan, allow);
  if (blockers.length === 0) return;
  const list = blockers.map(({ resource, kind }) => `${resource} (${kind})`).join(', ');
  const options = blockers.map(({ resource }) => `--allow ${resource}`).join(' ');
  const are = blockers.length === 1 ? 'it is protected' : 'they are protected';
  throw new ErrandError('infra/protected', `refused: ${list}: ${are}`, {
    next: `If that is meant, use ${options}; otherwise change the configuration so that nothing of it has to go.`,
  });
}

/** A mistyped `--allow` would let nothing pass, and nobody would hear of it. */
export function requireAllowable(
  allow: readonly string[] | undefined,
  stack: Pick<Stack, 'resources'>,
  state: Pick<State, 'resources'>,
): void {
  if (allow) requireKnown(allow, new Set([...stack.resources.keys(), ...state.resources.keys()]));
}

/** Throws `infra/invalid` when a validator found an error: whoever applies a plan need not have looked at it. */
export function requireValid({ diagnostics }: Pick<Plan, 'diagnostics'>): void {
  const errors = diagnostics.filter((one) => one.severity === 'error');
  if (errors.length === 0) return;
  const list = errors.map((one) => ('resource' in one ? `${one.resource}: ${one.message}` : one.message)).join('; ');
  throw new ErrandError('infra/invalid', `cannot apply a plan with errors: ${list}`, {
    next: 'Mend what is named and plan again; nothing was changed.',
  });
}
