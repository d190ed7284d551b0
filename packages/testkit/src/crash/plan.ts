import type { Json, ProviderDefinition } from '@errand/contract';
import { join } from 'node:path';
import { fileBacking } from '../fake/backing.ts';
import { createFakeCloud } from '../fake/cloud.ts';
import type { FakeCloud } from '../fake/cloud.ts';
import { fakeProvider } from '../fake/provider.ts';
import { systemPorts } from '@errand/core';

export type ScenarioName = 'run' | 'lease' | 'cancel' | 'timeout' | 'long';

/** What the parent and the process that dies agree on; passed as JSON. */
export interface Plan {
  /** Everything of one experiment lies below it. */
  readonly directory: string;
  readonly scenario: ScenarioName;
  /** `fake`, or the module and the export of a provider that runs real commands with `sh`, and its environment's options. */
  readonly provider: 'fake' | { readonly module: string; readonly name: string; readonly options?: Json };
  /** How long a silent watcher keeps its claim, in milliseconds. */
  readonly claimFor?: number;
  /** Where to die; absent: play to the end and tell the steps. */
  readonly die?: { readonly step: number; readonly phase: 'before' | 'after' };
}

export function optionsOf({ provider }: Pick<Plan, 'provider'>): Json {
  return (provider === 'fake' ? undefined : provider.options) ?? {};
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
  return { definition, cloud: undefined, [Symbol.dispose]: () => {} };
}
