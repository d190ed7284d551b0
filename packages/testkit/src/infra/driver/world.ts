// What a driver scenario has to work with: an opened provider, one sample, and what it made, which is gone afterwards.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  Ask,
  Attributes,
  Driver,
  Infra,
  Provider,
  ResourceOutput,
  ResourceRef,
  ResourceSpec,
  SecretCall,
} from '@errand/contract';

/** A resource type with configs to try it with. Each is asked for by name, so that paths and the like can differ. */
export interface DriverSample {
  readonly type: string;
  readonly config: (name: string, home: string) => Attributes;
  /** Differs from `config` in what can be changed in place. Absent: nothing can. */
  readonly changed?: (name: string, home: string) => Attributes;
  /** Differs in something that needs a new resource. Absent: everything can be changed in place. */
  readonly forced?: (name: string, home: string) => Attributes;
  /** Outputs that must not be shown. */
  readonly sensitive?: readonly string[];
  /** Puts something under that name which no call of ours made. Gives the way to remove it. */
  readonly foreign?: (name: string, home: string) => Promise<() => Promise<void>>;
  /** Another key may make a second one of the same name. */
  readonly namesRepeat?: boolean;
  /** The driver has a way of its own to replace it. */
  readonly replaces?: boolean;
  /** Takes its time: fewer of it are made. */
  readonly slow?: boolean;
}

export interface DriverSubject {
  /** Opens the provider. The same home once more stands for a fresh process. */
  readonly open: (home: string) => Promise<Provider>;
  readonly samples: readonly DriverSample[];
  /** Opens it with no way to the platform. Absent where there is nothing between the two. */
  readonly openCutOff?: (home: string) => Promise<Provider>;
  /** A module that exports the `open` above, so that a process of its own can be killed in the middle of a call. */
  readonly program?: URL;
  /** The values of `secret://` references. */
  readonly secret?: (reference: string) => string;
  /** It is reached by the public contract alone, which has no word for some of what is asked here. */
  readonly publicOnly?: boolean;
  /** A part that this machine lacks: every scenario is skipped for it, and fails where CI is set. */
  readonly missing?: string | undefined;
  /** Scenario, or `type: scenario` → why it cannot pass here. The reason is printed. */
  readonly skips?: Readonly<Record<string, string>>;
}

export interface DriverWorld extends AsyncDisposable {
  readonly subject: DriverSubject;
  readonly sample: DriverSample;
  readonly home: string;
  /** The provider's other half, from the same process as the driver. */
  readonly infra: Infra;
  readonly driver: Driver;
  readonly ask: Ask;
  /** The driver as a fresh process would have it. */
  readonly reopen: () => Promise<Driver>;
  readonly cutOff: () => Promise<Driver>;
  readonly newName: () => string;
  readonly newKey: () => string;
  readonly call: (key?: string, signal?: AbortSignal) => SecretCall;
  /** Whatever is there under the name of this spec is deleted in the end. */
  readonly spec: (which?: 'config' | 'changed' | 'forced', name?: string) => ResourceSpec;
  readonly ref: (of: ResourceSpec | ResourceOutput) => ResourceRef;
  readonly make: (spec?: ResourceSpec, key?: string) => Promise<ResourceOutput>;
}

export async function openDriverWorld(subject: DriverSubject, sample: DriverSample): Promise<DriverWorld> {
  const home = await mkdtemp(join(tmpdir(), 'errand-driver-'));
  const opened: Provider[] = [];
  const names = new Set<string>();
  const driverOf = (provider: Provider): Driver => {
    opened.push(provider);
    const driver = provider.infra?.drivers.get(sample.type);
    if (!driver) throw new Error(`the provider has no driver for ${sample.type}`);
    return driver;
  };
  const provider = await subject.open(home);
  const driver = driverOf(provider);
  const ask: Ask = { signal: new AbortController().signal, log: () => undefined };
  const newName = () => `t-${randomBytes(6).toString('hex')}`;
  const newKey = () => `key-${randomBytes(8).toString('hex')}`;
  const secret = async (reference: string) => subject.secret?.(reference) ?? `plain ${reference}`;
  const call = (key = newKey(), signal = ask.signal): SecretCall => ({ ...ask, signal, key, epoch: 1, secret });

  const spec: DriverWorld['spec'] = (which = 'config', name = newName()) => {
    names.add(name);
    const config = (sample[which] ?? sample.config)(name, home);
    return { name, type: sample.type, config, dependsOn: [] };
  };

  return {
    subject,
    sample,
    home,
    infra: provider.infra ?? { drivers: new Map() },
    driver,
    ask,
    reopen: async () => driverOf(await subject.open(home)),
    cutOff: async () => driverOf(await (subject.openCutOff ?? subject.open)(home)),
    newName,
    newKey,
    call,
    spec,
    ref: (of) => ({ name: of.name, type: of.type, ...('providerId' in of ? { providerId: of.providerId } : {}) }),
    make: (wanted = spec(), key = newKey()) => driver.create(wanted, call(key)),
    async [Symbol.asyncDispose]() {
      for (const name of names) {
        // Where names repeat there may be more than one.
        for (let left = 0; left < 5 && (await driver.read({ name, type: sample.type }, ask)); left++) {
          await driver.delete({ name, type: sample.type }, call());
        }
      }
      for (const one of opened) await one[Symbol.asyncDispose]();
      await rm(home, { recursive: true, force: true });
    },
  };
}
