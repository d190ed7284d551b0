import { ErrandError } from '@errand/contract';
import type { Plan } from '../../model/infra/plan.ts';

/** What a plan is bound to, as it is now. */
export type Surroundings = Pick<Plan, 'lineage' | 'serial' | 'inputs' | 'providers' | 'desiredHash'>;

/** What moved since the plan was made, for people; empty: it still holds. */
export function staleness(plan: Surroundings, now: Surroundings): readonly string[] {
  const moved: string[] = [];
  if (plan.lineage === '' && now.lineage !== '')
    moved.push(`there was no state yet, and now there is one with serial ${now.serial}`);
  else if (plan.lineage !== now.lineage)
    moved.push(`the state is another one: its lineage is ${now.lineage}, was ${plan.lineage}`);
  else if (plan.serial !== now.serial) moved.push(`the state moved on: its serial is ${now.serial}, was ${plan.serial}`);
  for (const name of new Set([...Object.keys(plan.inputs), ...Object.keys(now.inputs)])) {
    const [before, after] = [plan.inputs[name], now.inputs[name]];
    if (before === after) continue;
    moved.push(`the input ${name} changed: its fingerprint is ${after ?? 'gone'}, was ${before ?? 'not there'}`);
  }
  const present = new Map(now.providers.map((one) => [one.name, one]));
  for (const { name, use, version } of plan.providers) {
    const found = present.get(name);
    if (!found) moved.push(`the provider '${name}' is gone`);
    else if (found.use !== use || found.version !== version) {
      moved.push(`the provider '${name}' is ${found.use} ${found.version}, was ${use} ${version}`);
    }
  }
  if (plan.desiredHash !== now.desiredHash) moved.push('the configuration of the resources changed');
  return moved;
}

/** Throws `infra/stale-plan` saying all that moved. */
export function requireFresh(plan: Surroundings & Pick<Plan, 'id'>, now: Surroundings): void {
  const moved = staleness(plan, now);
  if (moved.length === 0) return;
  throw new ErrandError('infra/stale-plan', `cannot apply the plan ${plan.id}: ${moved.join('; ')}`, {
    next: 'Nothing was changed. Make a new plan, look at it, and apply that one.',
  });
}
