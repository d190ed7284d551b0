// Decides about every wanted resource, wave by wave: what one needs of another is known, or known to be unknown, before
// it is looked at itself.
import type { Diagnostic, Driver, ResourceOutput } from '@errand/contract';
import type { ResourceRecord } from '../../model/infra/record.ts';
import type { DeclaredResource } from '../../model/infra/stack.ts';
import { resolveConfig } from '../references/resolve.ts';
import { newSecrets } from '../references/secrets.ts';
import { atMost, singlesAtOnce } from './batches.ts';
import { originOf, problem } from './check.ts';
import { compareAll, specOf, type Question } from './compare.ts';
import type { Candidate, Verdict } from './decision.ts';
import { failed, type Failure } from './failures.ts';
import { keepIgnored } from './ignore.ts';
import type { OpenProviders } from './providers.ts';
import { openOutputs } from './refresh.ts';
import type { Scope } from './target.ts';
import type { PlanInput, Seen } from './types.ts';
import type { Views } from './views.ts';

const none: ReadonlySet<string> = new Set();

export interface Decided {
  readonly candidate: Candidate;
  readonly verdict: Verdict;
}

export interface DecideParts {
  readonly providers: OpenProviders;
  readonly scope: Scope;
  readonly seen: ReadonlyMap<string, Seen>;
  readonly views: Views;
  readonly sized: (resource: DeclaredResource) => Promise<DeclaredResource['config']>;
  /** Dependencies first. */
  readonly sorted: readonly string[];
}

export async function decide(
  input: PlanInput,
  parts: DecideParts,
  diagnostics: Diagnostic[],
): Promise<ReadonlyMap<string, Decided>> {
  const decided = new Map<string, Decided>();
  for (const wave of wavesOf(input, parts)) {
    const failures: Failure[] = [];
    const candidates: Candidate[] = [];
    for (const resource of wave) {
      const seen = parts.seen.get(resource.name);
      const record = seen && !seen.ghost ? seen.record : undefined;
      const sized = resource.size === undefined ? resource.config : await parts.sized(resource);
      const template = keepIgnored(sized, record, resource.lifecycle.ignoreChanges);
      const resolved = resolveConfig(template, parts.views.lookup, input.vault.open);
      for (const { path, message, hint } of resolved.problems) {
        diagnostics.push(problem(originOf(resource, path), `${resource.name}: ${path}: ${message}`, hint));
      }
      const renewed = record?.secrets ? newSecrets(record.secrets, input.stack.inputs) : none;
      candidates.push({ resource, template, resolved, seen, renewed });
    }
    const verdicts = await judgeWave(input, parts, candidates, failures, diagnostics);
    if (failures.length > 0) throw failed(failures, input.ask.signal);
    for (const candidate of candidates) {
      const verdict = verdicts.get(candidate.resource.name) ?? { kind: 'none' };
      decided.set(candidate.resource.name, { candidate, verdict });
      parts.views.decided(candidate, verdict);
    }
  }
  return decided;
}

function wavesOf(input: PlanInput, parts: DecideParts): readonly DeclaredResource[][] {
  const waves: DeclaredResource[][] = [];
  const depth = new Map<string, number>();
  for (const name of parts.sorted) {
    const resource = input.stack.resources.get(name);
    if (!resource || !parts.scope.wanted(name)) continue;
    let level = 0;
    for (const need of resource.dependsOn) level = Math.max(level, (depth.get(need) ?? -1) + 1);
    depth.set(name, level);
    (waves[level] ??= []).push(resource);
  }
  return waves;
}

async function judgeWave(
  input: PlanInput,
  parts: DecideParts,
  candidates: readonly Candidate[],
  failures: Failure[],
  diagnostics: Diagnostic[],
): Promise<ReadonlyMap<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  const questions: Question[] = [];
  const adoptable: { readonly candidate: Candidate; readonly driver: Driver }[] = [];
  for (const candidate of candidates) {
    const { resource, seen } = candidate;
    const driver = parts.providers.driver(resource.provider, resource.type);
    const known = seen && !seen.ghost ? knownVerdict(candidate, seen.record, input) : undefined;
    if (known) verdicts.set(resource.name, known);
    else if (seen && !seen.ghost) questions.push({ candidate, current: currentOf(input, seen) });
    else {
      const because = seen
        ? `it is gone: '${resource.provider}' has nothing under ${seen.record.providerId || 'its name'}`
        : 'it is not there yet';
      verdicts.set(resource.name, { kind: 'create', because: [because] });
      if (driver && (resource.adopt || driver.adopt)) adoptable.push({ candidate, driver });
    }
  }
  const found = await lookForOthers(input, adoptable, failures);
  for (const [candidate, current] of found) questions.push({ candidate, current });
  const compared = await compareAll(input, parts.providers, questions, failures);
  for (const { candidate, current } of questions) {
    const verdict = compared.get(candidate.resource.name);
    if (!verdict) continue;
    if (found.has(candidate)) verdicts.set(candidate.resource.name, adoption(candidate, current, verdict, diagnostics));
    else verdicts.set(candidate.resource.name, verdict);
  }
  return verdicts;
}

/** What needs no question to the driver. */
function knownVerdict({ resource }: Candidate, record: ResourceRecord, input: PlanInput): Verdict | undefined {
  const use = input.stack.providers.get(resource.provider)?.use ?? record.use;
  const because: string[] = [];
  if (record.type !== resource.type) because.push(`its type changes from ${record.type} to ${resource.type}`);
  if (record.provider !== resource.provider) because.push(`its provider changes from ${record.provider} to ${resource.provider}`);
  else if (record.use !== use) because.push(`the provider '${record.provider}' is no longer ${record.use} but ${use}`);
  if (record.tainted) because.push('it was left half-made');
  return because.length > 0 ? { kind: 'replace', because, changes: [] } : undefined;
}

function currentOf(input: PlanInput, seen: Seen): ResourceOutput {
  if (seen.live) return seen.live;
  const { name, type, providerId, outputs, sensitive, status } = seen.record;
  return { name, type, providerId, outputs: openOutputs(input.vault, outputs), sensitive, status };
}

async function lookForOthers(
  input: PlanInput,
  adoptable: readonly { readonly candidate: Candidate; readonly driver: Driver }[],
  failures: Failure[],
): Promise<ReadonlyMap<Candidate, ResourceOutput>> {
  const found = new Map<Candidate, ResourceOutput>();
  const answers = await atMost(adoptable, input.options?.parallelism ?? singlesAtOnce, async ({ candidate, driver }) => {
    const { name, type, adopt } = candidate.resource;
    const ref = (await driver.adopt?.(specOf(candidate))) ?? (adopt ? { name, type } : undefined);
    return ref && (await driver.read(ref, input.ask));
  });
  for (const [at, answer] of answers.entries()) {
    const candidate = adoptable[at]?.candidate as Candidate;
    const { name, origin } = candidate.resource;
    if ('error' in answer) failures.push({ resource: name, doing: 'looking for', error: answer.error, origin });
    else if (answer.value) {
      const sensitive = [...new Set([...(adoptable[at]?.driver.sensitiveKeys ?? []), ...answer.value.sensitive])];
      found.set(candidate, { ...answer.value, name, type: candidate.resource.type, sensitive });
    }
  }
  return found;
}

function adoption(
  { resource }: Candidate,
  found: ResourceOutput,
  verdict: Exclude<Verdict, { kind: 'adopt' }>,
  diagnostics: Diagnostic[],
): Verdict {
  const because = [`it is there already as ${found.providerId || resource.name} and is taken over`];
  if (verdict.kind === 'replace') {
    const message = `${resource.name}: it is there already as ${found.providerId} and cannot be taken over: ${verdict.because.join(', ')}`;
    const hint =
      'Make the config fit what is there, or remove what is there yourself: Errand does not delete what it has not made.';
    diagnostics.push(problem(resource.origin, message, hint));
  }
  const changes = 'changes' in verdict ? verdict.changes : [];
  return { kind: 'adopt', found, because: [...because, ...('because' in verdict ? verdict.because : [])], changes };
}
