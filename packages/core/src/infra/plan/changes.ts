import type { Attributes, FieldChange, Json, ResourceDiff } from '@errand/contract';
import { sameJson } from '../../base/same-json.ts';
import type { PlannedChange } from '../../model/infra/plan.ts';
import { liesIn, related, within } from '../references/walk.ts';

export interface ShownAs {
  /** Paths in the config, or names of outputs. */
  readonly sensitive: readonly string[];
  readonly unknown: readonly string[];
  /** Plaintexts that must not show up anywhere, whatever path the driver gave them. */
  readonly secrets: readonly string[];
}

/** What the driver said, with values taken out that must not be seen. */
export function plannedChange(change: FieldChange, shown: ShownAs): PlannedChange {
  const path = change.path.replace(/^(config|outputs)\./, '');
  const sensitive = shown.sensitive.some((one) => related(path, one)) || leaks(change, shown.secrets);
  // What a driver cannot tell yet follows from something that is not known yet.
  const unknown = shown.unknown.some((one) => related(path, one)) || (shown.unknown.length > 0 && change.new === undefined);
  const { old: _old, new: _new, ...bare } = change;
  return { ...(sensitive ? bare : change), sensitive, unknown };
}

function leaks(change: FieldChange, secrets: readonly string[]): boolean {
  if (secrets.length === 0) return false;
  const text = JSON.stringify([change.old ?? null, change.new ?? null]);
  return secrets.some((secret) => text.includes(JSON.stringify(secret).slice(1, -1)));
}

/** Plaintexts worth looking for; very short ones would be found everywhere. */
export function secretTexts(values: Iterable<Json | undefined>): readonly string[] {
  return [...values].flatMap((value) => (typeof value === 'string' && value.length >= 4 ? [value] : []));
}

/** The driver's word without what the person wants ignored. */
export function withoutIgnored(diff: ResourceDiff, ignored: readonly string[]): ResourceDiff {
  if (ignored.length === 0) return diff;
  const changes = diff.changes.filter((change) => !ignored.some((path) => liesIn(change.path, path)));
  if (changes.length === diff.changes.length) return diff;
  const forced = diff.changes.some((change) => change.forceNew);
  return {
    changes,
    needsUpdate: diff.needsUpdate && changes.length > 0,
    // Which change the replacement is for is known only where the driver marks it.
    needsReplace: diff.needsReplace && (forced ? changes.some((change) => change.forceNew) : changes.length > 0),
  };
}

/** Field by field, as deep as both sides are maps. */
export function compareOutputs(old: Attributes, now: Attributes): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  const look = (path: string, a: Json | undefined, b: Json | undefined) => {
    if (sameJson(a, b)) return;
    if (isMap(a) && isMap(b)) {
      for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) look(within(path, key), a[key], b[key]);
    } else changes.push({ path, ...(a !== undefined && { old: a }), ...(b !== undefined && { new: b }), forceNew: false });
  };
  look('', old, now);
  return changes;
}

function isMap(value: Json | undefined): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
