import type { Ask, Infra, ResourceOutput } from '@errand/contract';
import type { ResourceRecord, State } from '../../model/infra/record.ts';
import type { Stack } from '../../model/infra/stack.ts';
import type { Vault } from '../references/sealed.ts';
import type { PlanOptions } from '../sdk.ts';

export interface OpenedInfra {
  readonly infra: Infra;
  /** Of the provider's definition; a saved plan is bound to it. */
  readonly version: string;
}

/** All that a plan is made from. What the drivers answer aside, the same input gives the same plan. */
export interface PlanInput {
  readonly stack: Stack;
  readonly state: State;
  /** Opens a configured provider; asked once for each. */
  readonly infraOf: (provider: { readonly name: string; readonly use: string }) => Promise<OpenedInfra>;
  readonly vault: Vault;
  readonly ask: Ask;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Of the plan. */
  readonly id: string;
  readonly options?: PlanOptions;
}

/** A recorded resource as the plan sees it. */
export interface Seen {
  /** Brought up to date by the refresh. */
  readonly record: ResourceRecord;
  /** Sensitive outputs in clear; undefined until somebody needs them. */
  readonly live?: ResourceOutput;
  /** Recorded, but the provider says that it is not there. */
  readonly ghost: boolean;
}
