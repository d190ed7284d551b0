import { createHash } from 'node:crypto';

/** What every platform takes for a name: a DNS label, with room for what a plugin adds to it. */
const longest = 50;

/** The same key gives the same name, different keys different ones: the name is how a job is found again without a handle. */
export function jobNameOf(key: string): string {
  const plain = `errand-${key}`;
  if (plain.length <= longest && /^[a-z0-9-]*[a-z0-9]$/.test(plain)) return plain;
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 20);
  const readable = key
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 20);
  return readable === '' ? `errand-${digest}` : `errand-${readable}-${digest}`.replaceAll('--', '-');
}
