// Asks the drivers whether what is there is as wanted. Every question of one wave is asked at once.
import type { Attributes, DiffPair, Json, ResourceDiff, ResourceOutput, ResourceSpec } from '@errand/contract';
import type { PlannedChange } from '../../model/infra/plan.ts';
import { liesIn, mapLeaves, related, valueAt } from '../references/walk.ts';
import { isSealed } from '../references/sealed.ts';
import { askEach, singlesAtOnce } from './batches.ts';
import { plannedChange, secretTexts, withoutIgnored } from './changes.ts';
import { verdictOf, type Candidate, type Verdict } from './decision.ts';
import type { Failure } from './failures.ts';
import type { OpenProviders } from './providers.ts';
import type { PlanInput } from './types.ts';

export interface Question {
  readonly candidate: Candidate;
  readonly current: ResourceOutput;
}

export async function compareAll(
  input: Pick<PlanInput, 'ask' | 'options'>,
  providers: OpenProviders,
  questions: readonly Question[],
  failures: Failure[],
): Promise<ReadonlyMap<string, Exclude<Verdict, { kind: 'adopt' }>>> {
  const verdicts = new Map<string, Exclude<Verdict, { kind: 'adopt' }>>();
  const { ask } = input;
  const groups = Map.groupBy(questions, ({ candidate: { resource } }) => providers.driver(resource.provider, resource.type));
  const jobs = [...groups].map(async ([driver, group]) => {
    if (!driver) return;
    const many = driver.diffMany?.bind(driver);
    const answers = await askEach(group.map(pairOf), ask, {
      one: ({ desired, current }) => driver.diff(desired, current, ask),
      many: many && ((pairs) => many(pairs, ask)),
      atOnce: input.options?.parallelism ?? singlesAtOnce,
    });
    for (const [at, answer] of answers.entries()) {
      const question = group[at] as Question;
      const { resource } = question.candidate;
      if ('value' in answer) verdicts.set(resource.name, judge(question, answer.value));
      else failures.push({ resource: resource.name, doing: 'comparing', error: answer.error, origin: resource.origin });
    }
  });
  await Promise.all(jobs);
  return verdicts;
}

export function specOf(candidate: Candidate): ResourceSpec {
  const { name, type, size, hints, dependsOn } = candidate.resource;
  return {
    name,
    type,
    config: candidate.resolved.config,
    dependsOn,
    ...(size === undefined ? {} : { size }),
    ...(hints === undefined ? {} : { hints }),
  };
}

function pairOf({ candidate, current }: Question): DiffPair {
  const desired = specOf(candidate);
  return { desired: candidate.renewed.size === 0 ? desired : { ...desired, config: withRenewed(candidate) }, current };
}

/** Drivers compare references. Behind another reference there is another value, so that is what they are asked about. */
function withRenewed({ resolved, renewed }: Candidate): Attributes {
  return mapLeaves(resolved.config, '', (leaf) =>
    typeof leaf === 'string' && renewed.has(leaf) ? `${leaf} with another value` : leaf,
  ) as Attributes;
}

function judge({ candidate, current }: Question, said: ResourceDiff): Exclude<Verdict, { kind: 'adopt' }> {
  const { resource, resolved, seen } = candidate;
  const ignored = resource.lifecycle.ignoreChanges;
  const diff = withoutIgnored(said, ignored);
  // The quick way out: nearly all of a plan without changes.
  if (!diff.needsUpdate && !diff.needsReplace && diff.changes.length === 0 && resolved.unknown.length === 0)
    return { kind: 'none' };
  const sensitive = [...resolved.sensitive, ...current.sensitive];
  const secrets = secretTexts([
    ...resolved.sensitive.map((path) => clearAt(resolved.config, path)),
    ...current.sensitive.map((key) => current.outputs[key]),
  ]);
  const shown = { sensitive, unknown: resolved.unknown, secrets };
  const changes = diff.changes.map((change) => plannedChange(change, shown));
  const missed = resolved.unknown.filter(
    (path) =>
      !ignored.some((root) => liesIn(path, root)) && !changes.some((change) => change.unknown && related(change.path, path)),
  );
  const late = missed.map((path) => lateChange(path, seen?.record.config, resolved.config, sensitive));
  const verdict = verdictOf(diff, [...changes, ...late]);
  if (verdict.kind === 'none' || candidate.renewed.size === 0) return verdict;
  return { ...verdict, because: [...verdict.because, ...[...candidate.renewed].map((one) => `${one} has another value`)] };
}

/** References that a driver asks the plaintext for are no secret themselves. */
function clearAt(config: Json, path: string): Json | undefined {
  const value = valueAt(config, path);
  return typeof value === 'string' && value.startsWith('secret://') ? undefined : value;
}

/** The driver did not mind, but nobody can know yet: apply looks again when the value is there. */
function lateChange(path: string, before: Json | undefined, after: Json, sensitive: readonly string[]): PlannedChange {
  const hidden = sensitive.some((one) => related(path, one));
  const old = valueAt(before, path);
  const written = valueAt(after, path);
  return {
    path,
    ...(!hidden && old !== undefined && !isSealed(old) && { old }),
    ...(written !== undefined && { new: written }),
    forceNew: false,
    sensitive: hidden,
    unknown: true,
  };
}
