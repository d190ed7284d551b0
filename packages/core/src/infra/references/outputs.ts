import type { Attributes } from '@errand/contract';
import { didYouMean } from '../../base/distance.ts';
import type { Sealed } from '../../model/infra/record.ts';
import type { ResourceReference } from './parse.ts';
import type { Found } from './resolve.ts';
import { isSealed } from './sealed.ts';
import { stepsOf, valueAt } from './walk.ts';

/** What references may see of one resource. */
export interface Referable {
  readonly providerId: string;
  /** Sealed values are opened when they are asked for. */
  readonly outputs: Attributes;
  readonly sensitive: readonly string[];
  /** Nothing is going to change it: an output that is not there now will not be there later either. */
  readonly settled: boolean;
  /** Outputs of which the driver said that they are about to change. */
  readonly changing?: ReadonlySet<string>;
}

/** `id` is the id at the provider, also when there is an output of that name. */
export function lookUpOutput(of: Referable, reference: ResourceReference, open: (sealed: Sealed) => Attributes[string]): Found {
  const { field, name } = reference;
  if (field === 'id') return { known: true, value: of.providerId, sensitive: false };
  const first = Object.hasOwn(of.outputs, field) ? field : (stepsOf(field)[0] ?? field);
  const held = Object.hasOwn(of.outputs, first) ? of.outputs[first] : undefined;
  const sensitive = of.sensitive.includes(first) || isSealed(held);
  if (of.changing?.has(first)) return { known: false, sensitive };
  const clear = isSealed(held) ? open(held) : held;
  const value = first === field ? clear : valueAt(clear, field.slice(first.length + 1));
  if (value !== undefined) return { known: true, value, sensitive };
  if (!of.settled) return { known: false, sensitive };
  const known = [...new Set(['id', ...Object.keys(of.outputs)])];
  return {
    problem: `'${name}' has no output '${field}'`,
    hint: didYouMean(field, known) ?? `It has: ${known.join(', ')}.`,
  };
}
