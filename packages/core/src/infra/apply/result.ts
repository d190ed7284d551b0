// From what a driver answered to what is recorded.
import { ErrandError } from '@errand/contract';
import type { Attributes, Driver, ResourceOutput } from '@errand/contract';
import type { JournalEntry } from '../../model/infra/journal.ts';
import type { ResourceRecord } from '../../model/infra/record.ts';
import { echoedKeys } from '../references/echo.ts';
import type { Vault } from '../references/sealed.ts';
import { sealOutputs } from '../state/sealed-record.ts';

export function recordOf(
  vault: Vault,
  driver: Pick<Driver, 'sensitiveKeys'>,
  intended: NonNullable<JournalEntry['intended']>,
  output: ResourceOutput,
  confidential: Iterable<string> = [],
): ResourceRecord {
  const { outputs, sensitive } = sealedOutputs(vault, driver, output, confidential);
  return { ...intended, providerId: output.providerId, outputs, sensitive, status: output.status };
}

/** What the driver says, what it always says, and every output that repeats a value that came in as a secret. */
export function sealedOutputs(
  vault: Vault,
  driver: Pick<Driver, 'sensitiveKeys'>,
  output: Pick<ResourceOutput, 'outputs' | 'sensitive'>,
  confidential: Iterable<string> = [],
): { readonly outputs: Attributes; readonly sensitive: readonly string[] } {
  const echoed = echoedKeys(output.outputs, [...confidential]);
  const names = new Set([...output.sensitive, ...(driver.sensitiveKeys ?? []), ...echoed]);
  return { outputs: sealOutputs(vault, output.outputs, names), sensitive: [...names].toSorted() };
}

/** What is wrong with an answer: another resource's name, or no id to find it by again. */
export function wrongAnswer(entry: Pick<JournalEntry, 'resource' | 'type' | 'provider'>, output: ResourceOutput) {
  const next = `Report it to the authors of the provider '${entry.provider}'; then look at the resource, and plan again.`;
  if (output.name !== entry.resource || output.type !== entry.type) {
    const told = `${output.type} ${output.name}`;
    const message = `asked ${entry.provider} for ${entry.type} ${entry.resource}: it answered about ${told}; nothing was deleted`;
    return new ErrandError('infra/failed', message, { next });
  }
  if (output.providerId !== '') return undefined;
  const message = `asked ${entry.provider} for ${entry.type} ${entry.resource}: it did not tell the id`;
  return new ErrandError('infra/failed', message, { next });
}
