import type { Attributes } from '@errand/contract';
import type { PlannedChange } from '../../model/infra/plan.ts';
import type { State } from '../../model/infra/record.ts';
import { lookUpOutput, type Referable } from '../references/outputs.ts';
import type { ResourceReference } from '../references/parse.ts';
import { settleConfig, type Found, type Lookup } from '../references/resolve.ts';
import { stepsOf } from '../references/walk.ts';
import type { Candidate, Verdict } from './decision.ts';
import type { OpenProviders } from './providers.ts';
import type { Scope } from './target.ts';
import type { PlanInput, Seen } from './types.ts';

/** What references see in a plan. */
export interface Views {
  readonly lookup: Lookup;
  decided(candidate: Candidate, verdict: Verdict): void;
  /** Values of what this plan does not touch are filled in; secrets and what may still change stay references. */
  settle(template: Attributes): Attributes;
}

export function createViews(
  input: Pick<PlanInput, 'stack' | 'vault'> & { readonly state: Pick<State, 'resources'> },
  parts: { readonly providers: OpenProviders; readonly scope: Scope; readonly seen: ReadonlyMap<string, Seen> },
): Views {
  const views = new Map<string, Referable>();
  for (const name of parts.scope.excluded) {
    const record = input.state.resources.get(name);
    // Not looked at in this plan: an output it does not show may yet be there.
    if (record) views.set(name, viewOf(record, record.sensitive, false));
  }

  const lookup = (reference: ResourceReference): Found => {
    const view = views.get(reference.name);
    if (view) return lookUpOutput(view, reference, input.vault.open);
    const resource = input.stack.resources.get(reference.name);
    if (!resource) return { problem: `there is no resource '${reference.name}'` };
    const secret = parts.providers.driver(resource.provider, resource.type)?.sensitiveKeys ?? [];
    return { known: false, sensitive: secret.includes(reference.field.split('.')[0] ?? '') };
  };

  return {
    lookup,
    decided({ resource, seen }, verdict) {
      const settled = verdict.kind === 'none' || (verdict.kind === 'adopt' && verdict.changes.length === 0);
      if (verdict.kind === 'adopt') views.set(resource.name, viewOf(verdict.found, verdict.found.sensitive, settled));
      else if (seen && (verdict.kind === 'none' || verdict.kind === 'update')) {
        const now = seen.live ?? seen.record;
        const view = viewOf(now, now.sensitive, settled);
        const changing = verdict.kind === 'update' ? changingKeys(verdict.changes) : undefined;
        views.set(resource.name, changing ? { ...view, changing } : view);
      }
    },
    settle: (template) =>
      settleConfig(template, (reference) => {
        if (!views.get(reference.name)?.settled) return undefined;
        const found = lookup(reference);
        return 'known' in found && found.known && !found.sensitive ? { value: found.value } : undefined;
      }),
  };
}

function viewOf(of: Pick<Referable, 'providerId' | 'outputs'>, sensitive: readonly string[], settled: boolean): Referable {
  return { providerId: of.providerId, outputs: of.outputs, sensitive, settled };
}

/** Drivers show most of a config as outputs of the same name. */
function changingKeys(changes: readonly PlannedChange[]): ReadonlySet<string> {
  return new Set(changes.map((change) => stepsOf(change.path.replace(/^(config|outputs)\./, ''))[0] ?? ''));
}
