import { ErrandError } from '@errand/contract';
import type { Ask, Driver, Infra, ResourceOutput } from '@errand/contract';
import type { ResourceRecord } from '../../model/infra/record.ts';
import type { DeclaredResource } from '../../model/infra/stack.ts';
import { driverOf } from '../apply/context.ts';
import type { ApplyContext } from '../apply/context.ts';
import { referred } from '../apply/intent.ts';
import { sealedOutputs } from '../apply/result.ts';
import { withStack } from '../apply/session.ts';
import type { InfraParts } from '../apply/session.ts';
import { save } from '../apply/step.ts';
import { configHash } from '../hash/hash.ts';
import { resolveConfig } from '../references/resolve.ts';
import { fingerprinted, sealPaths } from '../state/sealed-record.ts';
import { askOf } from './plan.ts';

/** Records what is there under an id as a resource of the config; the next plan says what differs. */
export async function importOne(parts: InfraParts, name: string, providerId: string): Promise<ResourceRecord> {
  const declared = parts.stack.resources.get(name);
  if (!declared) {
    throw new ErrandError('state/unknown', `wanted to import ${providerId} as ${name}: the config has no resource of that name`, {
      next: 'Write it under infra.resources with its type and provider, then import it.',
    });
  }
  const { value } = await withStack(parts, { by: `import ${name}` }, async ({ context, state }) => {
    if (state.resources.has(name)) {
      throw new ErrandError('state/conflict', `wanted to import ${providerId} as ${name}: the state has a ${name} already`, {
        next: `Forget it first: errand infra state rm ${name}`,
      });
    }
    const infra = await parts.infraOf(declared.provider);
    const driver = await driverOf(parts, declared.provider, declared.type);
    const ask = askOf(context.signal);
    const found =
      (await driver.read({ name, type: declared.type, providerId }, ask)) ??
      (await lookUp(infra, declared.type, providerId, ask));
    if (!found) {
      throw new ErrandError(
        'provider/not-found',
        `wanted to import ${declared.type} ${providerId}: '${declared.provider}' has none`,
        {
          next: 'Check the id, and that the provider looks at the right account and region.',
        },
      );
    }
    const given = await agreedConfig(context, driver, declared, found, ask);
    const record = { ...importedRecord(parts, driver, found, { ...declared, dependencies: declared.dependsOn }), ...given };
    await save(context, [{ kind: 'put', record }]);
    return record;
  });
  return value;
}

/** The config as it is written, when what is there is just that; else the next plan brings the two together. */
async function agreedConfig(
  context: ApplyContext,
  driver: Driver,
  declared: DeclaredResource,
  found: ResourceOutput,
  ask: Ask,
): Promise<Pick<ResourceRecord, 'config' | 'configHash'> | undefined> {
  if (declared.size !== undefined) return undefined;
  const { config, sensitive, unknown, problems } = resolveConfig(declared.config, (reference) => referred(context, reference));
  if (unknown.length > 0 || problems.length > 0) return undefined;
  const { name, type, dependsOn } = declared;
  const diff = await driver.diff({ name, type, config, dependsOn }, found, ask);
  if (diff.needsUpdate || diff.needsReplace) return undefined;
  const sealed = sealPaths(context.vault, config, sensitive);
  return { config: sealed, configHash: configHash(fingerprinted(sealed)) };
}

async function lookUp(infra: Infra, type: string, providerId: string, ask: Ask): Promise<ResourceOutput | undefined> {
  const state = await infra.import?.(type, providerId, ask);
  if (!state) return undefined;
  return { name: state.name, type, providerId: state.providerId, outputs: state.outputs, sensitive: [], status: '' };
}

/** Records everything of a type that the provider lists and the state does not have, under the names that it has there. */
export async function importAll(
  parts: InfraParts,
  provider: string,
  type: string,
  dryRun: boolean,
): Promise<readonly ResourceRecord[]> {
  const infra = await parts.infraOf(provider);
  const driver = await driverOf(parts, provider, type);
  const { enumerator } = infra;
  if (!enumerator) {
    throw new ErrandError(
      'environment/unsupported',
      `wanted to import all ${type}: provider '${provider}' cannot list resources`,
      {
        next: 'Import them one by one: errand infra import NAME ID',
      },
    );
  }
  const collect = async (known: ReadonlyMap<string, ResourceRecord>, ask: Ask) => {
    const ids = new Set([...known.values()].filter((record) => record.type === type).map((record) => record.providerId));
    const names = new Set(known.keys());
    const records: ResourceRecord[] = [];
    for await (const found of enumerator.all(type, ask)) {
      if (ids.has(found.providerId)) continue;
      const name = freeName(found.name || found.providerId, names);
      names.add(name);
      const about = { name, type, provider, dependencies: [], protected: false };
      records.push(importedRecord(parts, driver, found, about));
    }
    return records;
  };
  if (dryRun) return collect((await parts.store.read(parts.stack.name)).resources, askOf(undefined));
  const { value } = await withStack(parts, { by: `import all ${type}` }, async ({ context, state }) => {
    const records = await collect(state.resources, askOf(context.signal));
    await save(
      context,
      records.map((record) => ({ kind: 'put', record })),
    );
    return records;
  });
  return value;
}

/** A name that can be referred to, and that nothing else has. */
function freeName(wanted: string, taken: ReadonlySet<string>): string {
  const plain = wanted.replaceAll(/[^A-Za-z0-9_-]/g, '-').replace(/^[^A-Za-z_]+/, '') || 'resource';
  let name = plain.slice(0, 56);
  for (let count = 2; taken.has(name); count++) name = `${plain.slice(0, 56)}-${count}`;
  return name;
}

function importedRecord(
  parts: InfraParts,
  driver: Driver,
  found: ResourceOutput,
  of: Pick<ResourceRecord, 'name' | 'type' | 'provider' | 'dependencies' | 'protected'>,
): ResourceRecord {
  const { name, type, provider, dependencies } = of;
  const now = parts.ports.clock.now();
  return {
    name,
    type,
    provider,
    dependencies,
    protected: of.protected,
    use: parts.useOf(provider),
    providerId: found.providerId,
    config: {},
    configHash: '',
    source: 'import',
    ...sealedOutputs(parts.vault, driver, found),
    status: found.status,
    createBeforeDestroy: false,
    createdAt: now,
    updatedAt: now,
    deposed: [],
    tainted: false,
  };
}
