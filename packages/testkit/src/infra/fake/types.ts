import { createHash } from 'node:crypto';
import type { Attributes } from '@errand/contract';
import type { Thing } from './shelf.ts';

/** How one type of the fake platform behaves. Every config key comes back as an output of the same name. */
export interface Traits {
  /** What ids begin with. */
  readonly prefix: string;
  /** The platform makes these up. They cannot be config keys, and neither can `id`. */
  readonly makes: readonly string[];
  readonly computed: (thing: Thing) => Attributes;
  readonly sensitive?: readonly string[];
  /** The platform allows the same name many times, so a replacement can be made before the old one goes. */
  readonly namesRepeat?: boolean;
  readonly upserts?: boolean;
  readonly ownReplace?: boolean;
  readonly scales?: boolean;
}

const address = (thing: Thing) => `10.${[...digest(thing.id, 6).matchAll(/../g)].map(([two]) => parseInt(two, 16)).join('.')}`;
const endpoint = (thing: Thing): Attributes => ({ endpoint: `https://${thing.id}.fake.test` });

export const fakeTypes: Readonly<Record<string, Traits>> = {
  'fake.thing': { prefix: 'thing', makes: ['endpoint'], computed: endpoint },
  /** A create takes `ms` of its config. */
  'fake.slow': { prefix: 'slow', makes: ['endpoint'], computed: endpoint },
  'fake.many': { prefix: 'many', makes: ['endpoint'], computed: endpoint, namesRepeat: true },
  'fake.replacer': { prefix: 'replacer', makes: ['endpoint'], computed: endpoint, ownReplace: true },
  'fake.credential': {
    prefix: 'cred',
    makes: ['access_key', 'secret_key'],
    computed: (thing) => ({ access_key: `AK${digest(thing.id, 8)}`, secret_key: `sk-${digest(`secret ${thing.id}`, 32)}` }),
    sensitive: ['secret_key'],
    namesRepeat: true,
  },
  'infra.vpc': { prefix: 'vpc', makes: ['endpoint'], computed: endpoint },
  'infra.compute': {
    prefix: 'vm',
    makes: ['ip', 'endpoint'],
    computed: (thing) => ({ ip: address(thing), ...endpoint(thing) }),
    upserts: true,
  },
  'infra.app': { prefix: 'app', makes: ['endpoint'], computed: endpoint, scales: true },
  'infra.container_service': { prefix: 'svc', makes: ['endpoint'], computed: endpoint, scales: true },
  'infra.database': {
    prefix: 'db',
    makes: ['host', 'port', 'password', 'uri'],
    computed: (thing) => ({
      host: `${thing.id}.fake.test`,
      port: 5432,
      password: `pw-${digest(`password ${thing.id}`, 24)}`,
      uri: `postgres://app:pw-${digest(`password ${thing.id}`, 24)}@${thing.id}.fake.test:5432/app`,
    }),
    sensitive: ['password', 'uri'],
  },
};

/** A change of these makes another resource of it. */
export const forceNewKeys: readonly string[] = ['region', 'cidr', 'engine', 'kind'];
/** What comes in under these names is not for everybody when it comes out again. */
export const secretKeys: readonly string[] = ['password', 'secret', 'token', 'dsn', 'env', 'env_vars'];

export function digest(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}
