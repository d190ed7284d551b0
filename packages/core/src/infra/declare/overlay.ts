// `infra.environments.<name>` says what differs there. Maps are merged deeply and the overlay wins; an empty value
// takes away what it stands for, be it a key, a resource or a provider.
import { ErrandError } from '@errand/contract';
import { didYouMean } from '../../base/distance.ts';
import { isEmpty, type Branch, type Entry } from '../../config/tree.ts';
import { asMap, refuseOtherKeys, report, type Reader } from './reader.ts';
import { overlayKeys } from './schema.ts';

export const plainStack = 'default';

/** `errand.yaml` without the section of environments, and with that of the wanted one laid over it. */
export function layOver(reader: Reader, root: Branch, wanted: string | undefined): Branch {
  const base: Branch = { ...root, entries: new Map([...root.entries].filter(([key]) => key !== 'environments')) };
  const overlays = asMap(reader, root.entries.get('environments')?.value, 'infra.environments');
  for (const [name, entry] of overlays?.entries ?? []) {
    if (name === plainStack) report(reader, entry.key, `'${plainStack}' is the stack without an environment and cannot be one`);
    const overlay = asMap(reader, entry.value, `infra.environments.${name}`);
    if (overlay) refuseOtherKeys(reader, overlay, `infra.environments.${name}`, overlayKeys);
  }
  if (wanted === undefined || wanted === plainStack) return base;
  const found = overlays?.entries.get(wanted);
  if (!found) {
    const known = [...(overlays?.entries.keys() ?? [])];
    const list = known.length > 0 ? `Known are: ${known.join(', ')}.` : 'Write it under infra.environments.';
    throw new ErrandError(
      'environment/unknown',
      `there is no environment '${wanted}' under infra.environments in ${reader.file}`,
      {
        next: didYouMean(wanted, known) ?? list,
      },
    );
  }
  return found.value.kind === 'map' ? merge(base, found.value) : base;
}

function merge(below: Branch, above: Branch): Branch {
  const entries = new Map<string, Entry>(below.entries);
  for (const [key, entry] of above.entries) {
    const lower = entries.get(key)?.value;
    if (isEmpty(entry.value)) entries.delete(key);
    else if (lower?.kind === 'map' && entry.value.kind === 'map') {
      entries.set(key, { key: entry.key, value: merge(lower, entry.value) });
    } else entries.set(key, entry);
  }
  return { ...below, entries };
}
