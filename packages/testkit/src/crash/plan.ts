import type { Json, ProviderDefinition } from '@errand/contract';
import { join } from 'node:path';
import { fileBacking } from '../fake/backing.ts';
import { createFakeCloud } from '../fake/cloud.ts';
import type { FakeCloud } from '../fake/cloud.ts';
import { fakeProvider } from '../fake/provider.ts';
import { deliverTwice } from '../faults/twice.ts';
import { systemPorts } from '@errand/core';

export type ScenarioName = 'run' | 'lease' | 'cancel' | 'timeout' | 'long' | 'sync' | 'reuse' | 'warm';

/** What the parent and the process that dies agree on; passed as JSON. */
export interface Plan {
  /** Everything of one experiment lies below it. */
  readonly directory: string;
  readonly scenario: ScenarioName;
  readonly provider: 'fake' | RealProvider;
  /** How long a silent watcher keeps its claim, in milliseconds. */
  readonly claimFor?: number;
  /** Where to die; absent: play to the end and tell the steps. */
  readonly die?: { readonly step: number; readonly phase: 'before' | 'after' };
}

/** A provider that runs real commands with `sh`. */
export interface RealProvider {
  readonly module: string;
  /** What the module exports it as. */
  readonly name: string;
  readonly image?: string;
  /** The provider's own keys; `{directory}` in a text stands for the experiment's directory. */
  readonly options?: Json;
  /** False where a job's process ids are not those of this machine. */
  readonly samePids?: boolean;
  /** Every mutating call is delivered twice. */
  readonly twice?: boolean;
}

export interface OpenedProvider extends Disposable {
  readonly definition: ProviderDefinition;
  /** The far side, when it is the fake. */
  readonly cloud: FakeCloud | undefined;
}

export async function openPlanProvider(plan: Plan): Promise<OpenedProvider> {
  if (plan.provider === 'fake') {
    const { clock } = systemPorts();
    const cloud = createFakeCloud({ clock, backing: fileBacking(join(plan.directory, 'cloud.db')) });
    return { definition: fakeProvider(cloud), cloud, [Symbol.dispose]: () => cloud[Symbol.dispose]() };
  }
  const module = (await import(plan.provider.module)) as Readonly<Record<string, ProviderDefinition>>;
  const definition = module[plan.provider.name];
  if (!definition) throw new Error(`${plan.provider.module} has no export ${plan.provider.name}`);
  const delivered = plan.provider.twice ? deliverTwice(definition) : definition;
  return { definition: delivered, cloud: undefined, [Symbol.dispose]: () => {} };
}

/** What the environment of the scenarios says beside the provider's name. */
export function planEnvironment(plan: Plan): { readonly image?: string; readonly options: Json } {
  if (plan.provider === 'fake') return { options: {} };
  const { image, options = {} } = plan.provider;
  const text = JSON.stringify(options).replaceAll('{directory}', plan.directory);
  return { options: JSON.parse(text) as Json, ...(image !== undefined && { image }) };
}
