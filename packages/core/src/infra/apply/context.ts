import { ErrandError } from '@errand/contract';
import type { Driver, Infra } from '@errand/contract';
import type { JournalEntry } from '../../model/infra/journal.ts';
import type { ResourceRecord } from '../../model/infra/record.ts';
import type { Ports } from '../../ports.ts';
import type { Vault } from '../references/sealed.ts';
import type { ApplyEvent } from '../sdk.ts';
import type { StateWriter } from '../state/group-commit.ts';

/** What every step of one apply works with. */
export interface ApplyContext {
  readonly ports: Ports;
  readonly vault: Vault;
  readonly writer: StateWriter;
  readonly stack: string;
  readonly lineage: string;
  /** Of the lock. */
  readonly epoch: number;
  /** The plan's id, or what else wants the changes. */
  readonly apply: string;
  /** The serial that the plan was made for. */
  readonly serial: number;
  /** The records as they are now, with what is written but not yet on disk. */
  readonly live: Map<string, ResourceRecord>;
  /** Entries of earlier commands that could not be settled, by resource. */
  readonly open: ReadonlyMap<string, JournalEntry>;
  /** Ends the calls, never what they made. */
  readonly signal: AbortSignal;
  /** Versions of the secrets, by reference. */
  readonly inputs: ReadonlyMap<string, string>;
  readonly owner?: string | undefined;
  readonly forceOwner?: boolean | undefined;
  infraOf(provider: string): Promise<Infra>;
  useOf(provider: string): string;
  secret(reference: string): Promise<string>;
  on(event: ApplyEvent): void;
}

export async function driverOf(context: Pick<ApplyContext, 'infraOf'>, provider: string, type: string): Promise<Driver> {
  const infra = await context.infraOf(provider);
  const driver = infra.drivers.get(type);
  if (driver) return driver;
  throw new ErrandError('infra/invalid', `looked for resources of type ${type}: provider '${provider}' has none`, {
    next: `It has: ${[...infra.drivers.keys()].toSorted().join(', ')}.`,
  });
}
