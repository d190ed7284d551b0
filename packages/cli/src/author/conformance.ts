// `errand/conformance`: every promise of the contract, as cases that anybody can run against a plugin, whatever it is written in.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Attributes } from '@errand/contract';
import { openPluginProvider, readPluginDirectory } from '@errand/plugin';
import { protocolCases } from '@errand/plugin/conformance';
import { driverCases, hostCases, runnerCases, serviceCases } from '@errand/testkit/conformance';
import { fill, readSamples } from './samples.ts';

export interface ConformanceCase {
  readonly name: string;
  /** Gives why it does not apply, or undefined when the promise was held; throws when it was broken. */
  readonly run: () => Promise<string | undefined>;
}

export interface ConformanceSuite {
  /** `protocol`, `drivers`, `services`, `runner` or `host`; `provider` when it could not be opened. */
  readonly suite: string;
  readonly cases: readonly ConformanceCase[];
}

export interface ConformanceOptions {
  /** In the place of that in conformance.json. */
  readonly config?: Attributes;
  /** What the plugin says on stderr, and what is to be said about its process. */
  readonly log?: (line: string) => void;
}

/** Looks at the plugin once to see what it offers; nothing is tried before a case is run. */
export async function conformance(directory: string | URL, options: ConformanceOptions = {}): Promise<ConformanceSuite[]> {
  const path = resolve(typeof directory === 'string' ? directory : fileURLToPath(directory));
  const { name } = await readPluginDirectory(path);
  const samples = await readSamples(path);
  const { log = () => undefined } = options;
  const configIn = (home: string) => {
    const config = options.config ?? samples.config;
    return config === undefined ? {} : { config: fill(config, { home }) };
  };
  const open = (home: string) =>
    // Named by hand, so the person who named it trusts it.
    openPluginProvider({ name, directory: path, home, lockFile: undefined, log, ...configIn(home) });

  const protocol = protocolCases({
    directory: path,
    ...configIn(tmpdir()),
    launchOptions: async () => {
      const home = await temporaryHome();
      const remove = () => rm(home, { recursive: true, force: true });
      return { directory: path, home, lockFile: undefined, log, [Symbol.asyncDispose]: remove };
    },
  });
  const skipped = protocol.map((one) => {
    const reason = samples.skips[one.name];
    return reason === undefined ? one : { ...one, run: async () => reason };
  });

  let offers: Offers;
  try {
    offers = await offersOf(open);
  } catch (error) {
    const refuse = () => Promise.reject(error);
    return [
      { suite: 'protocol', cases: skipped },
      { suite: 'provider', cases: [{ name: 'it opens with its config', run: refuse }] },
    ];
  }
  const { skips, drivers, stateBackend } = samples;
  const tried = new Set(drivers.map(({ type }) => type));
  const unsampled = offers.types.filter((type) => !tried.has(type));
  const absent = drivers.filter(({ type }) => !offers.types.includes(type));
  const subject = { open, skips, publicOnly: offers.publicJobs, ...samples.runner };
  const resources = {
    open,
    samples: drivers.filter(({ type }) => offers.types.includes(type)),
    skips,
    publicOnly: offers.publicOnly,
    ...(stateBackend && { stateBackend }),
  };
  return [
    { suite: 'protocol', cases: skipped },
    {
      suite: 'drivers',
      cases: [
        ...driverCases(resources),
        ...absent.map(({ type }) => ({
          name: `${type}: it is offered`,
          run: () => Promise.reject(new Error('conformance.json has a sample for it, and the plugin does not declare it')),
        })),
        ...unsampled.map((type) => ({ name: `${type}: all of it`, run: async () => 'conformance.json has no sample for it' })),
      ],
    },
    { suite: 'services', cases: serviceCases(resources, offers.services) },
    ...(offers.runner ? [{ suite: 'runner', cases: runnerCases(subject) }] : []),
    ...(offers.host ? [{ suite: 'host', cases: hostCases(subject) }] : []),
  ].filter(({ cases }) => cases.length > 0);
}

interface Offers {
  readonly types: readonly string[];
  /** What there is beside the drivers. */
  readonly services: ReadonlySet<string>;
  readonly runner: boolean;
  readonly host: boolean;
  /** Its resources, or its jobs, are reached by the public contract alone. */
  readonly publicOnly: boolean;
  readonly publicJobs: boolean;
}

type Open = (home: string) => ReturnType<typeof openPluginProvider>;

async function offersOf(open: Open): Promise<Offers> {
  const home = await temporaryHome();
  try {
    await using provider = await open(home);
    const types = [...(provider.infra?.drivers.keys() ?? [])];
    const { services } = provider.served;
    return {
      types,
      services: new Set(Object.entries(provider.infra ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [name]))),
      runner: provider.runner !== undefined,
      host: provider.host !== undefined,
      publicOnly: !services.includes('errand.v1.DriverService'),
      // A plugin of ours shows these to other hosts only.
      publicJobs: services.includes('workflow.plugin.external.iac.IaCProviderRunner'),
    };
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function temporaryHome(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'errand-conformance-'));
}
