// A stack in all its shapes, and the truth about it: what a killed apply may never get wrong.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Infra } from '@errand/contract';
import { createRuntime } from '@errand/core';
import type { InfraStack, Runtime } from '@errand/core';
import { createFakeInfra, fakeInfraProvider } from '../fake-infra.ts';
import type { FakeRule } from '../fake-infra.ts';

/** What the file wants: nothing changed, some changed and some replaced, or nothing at all. */
export type Phase = 'first' | 'changed' | 'gone';

export interface StackHome {
  /** Holds errand.yaml, the data directory, the secrets, and the fake platform. */
  readonly directory: string;
  readonly resources: number;
}

export function writeStack({ directory, resources }: StackHome, phase: Phase): void {
  mkdirSync(directory, { recursive: true });
  const wanted =
    phase === 'gone' ? {} : Object.fromEntries(Array.from({ length: resources }, (_, at) => [`r${at}`, resourceAt(at, phase)]));
  const infra = {
    providers: { cloud: { use: 'fake' } },
    resources: wanted,
    outputs: phase === 'gone' ? {} : { last: { value: '${r0.id}' } },
  };
  writeFileSync(join(directory, 'errand.yaml'), JSON.stringify({ infra }));
}

function resourceAt(at: number, phase: Phase): object {
  const later = phase === 'changed';
  const region = later && (at % 7 === 0 || at % 20 === 1 || at % 20 === 2) ? 'b' : 'a';
  const n = later && at % 2 === 0 ? 2 : 1;
  const base = at - (at % 5);
  if (at % 5 === 0) return { type: 'infra.database', provider: 'cloud', config: { n, region } };
  if (at % 5 === 1) {
    const lifecycle = { create_before_destroy: true };
    return { type: 'fake.many', provider: 'cloud', config: { n, region }, lifecycle };
  }
  const config = { n, region, dsn: `\${r${base}.uri}`, of: `\${r${base}.id}` };
  if (at % 5 === 2) return { type: 'fake.replacer', provider: 'cloud', config };
  return { type: 'fake.thing', provider: 'cloud', config };
}

export async function openStack(
  home: StackHome,
  rules: readonly FakeRule[] = [],
): Promise<{ stack: InfraStack; runtime: Runtime }> {
  const { directory } = home;
  const fake = createFakeInfra({ directory: join(directory, 'platform'), rules, keep: 0 });
  const runtime = await createRuntime({
    providers: [fakeInfraProvider({ ...fake, infra: withoutAdoption(fake.infra) })],
    home: join(directory, 'home'),
    config: join(directory, 'errand.yaml'),
    env: { HOME: directory, PATH: process.env['PATH'] },
    recover: false,
  });
  return { runtime, stack: await runtime.infra() };
}

/** A plan that took over whatever has the right name would hide what the journal forgot. */
export function withoutAdoption(infra: Infra): Infra {
  const drivers = [...infra.drivers].map(([type, driver]) => [type, { ...driver, adopt: () => undefined }] as const);
  return { ...infra, drivers: new Map(drivers) };
}

export interface Convergence {
  /** What is wrong; empty when nothing is. */
  readonly wrong: readonly string[];
}

/** The next apply after a kill, and whether state, platform and file agree afterwards. */
export async function converge(home: StackHome): Promise<Convergence> {
  const { stack, runtime } = await openStack(home);
  const wrong: string[] = [];
  try {
    const { outcomes } = await stack.apply(await stack.plan());
    for (const one of outcomes) if (one.status !== 'done') wrong.push(`${one.step}: ${JSON.stringify(one)}`);
    wrong.push(...(await disagreements(home, stack)));
    const rest = (await stack.plan()).actions;
    for (const { kind, resource } of rest) wrong.push(`still to do: ${kind} ${resource}`);
  } catch (error) {
    wrong.push(`the next apply failed: ${String(error)}`);
  } finally {
    await stack[Symbol.asyncDispose]();
    await runtime[Symbol.asyncDispose]();
  }
  return { wrong };
}

async function disagreements({ directory }: StackHome, stack: InfraStack): Promise<readonly string[]> {
  const things = createFakeInfra({ directory: join(directory, 'platform') }).things();
  const { resources } = await stack.state();
  const wrong: string[] = [];
  const recorded = new Set(
    [...resources.values()].flatMap((one) => [one.providerId, ...one.deposed.map((old) => old.providerId)]),
  );
  const there = new Set(things.map(({ id }) => id));
  for (const { id, name } of things) if (!recorded.has(id)) wrong.push(`forgotten: ${name} ${id}`);
  for (const [name, one] of resources) if (!there.has(one.providerId)) wrong.push(`lost: ${name} ${one.providerId}`);
  const names = new Map<string, number>();
  for (const { name } of things) names.set(name, (names.get(name) ?? 0) + 1);
  for (const [name, count] of names) if (count > 1) wrong.push(`doubled: ${name} is there ${count} times`);
  for (const { name, ready } of things) if (!ready) wrong.push(`half-made: ${name}`);
  return wrong;
}
