import type { DriverSample } from '@errand/testkit';
import { openResourceEngine } from '../src/drivers/sdk.ts';
import { signal } from './bed.ts';
import { findServiceBed } from './images.ts';
import { foreignVolume, prefixOf } from './infra.ts';

const bed = await findServiceBed();
export const missing = typeof bed === 'string' ? { missing: bed } : {};
const image = (kind: 'web' | 'redis' | 'registry') => (typeof bed === 'string' ? '' : bed[kind]);

export const samples: DriverSample[] = [
  {
    type: 'infra.vpc',
    config: () => ({}),
    forced: () => ({ internal: true }),
    foreign: async (name, home) => {
      if (typeof bed === 'string') throw new Error(bed);
      const engine = openResourceEngine(bed.address);
      const id = `${prefixOf(home)}-${name}`;
      await engine.createNetwork(id, { labels: {}, internal: true }, signal);
      return async () => {
        await engine.removeNetwork(id, signal);
        engine.close();
      };
    },
  },
  { type: 'infra.volume', config: () => ({}), foreign: foreignVolume('') },
  { type: 'infra.storage', config: () => ({ region: 'nyc3' }) },
  {
    type: 'infra.container_service',
    slow: true,
    config: (name) => ({
      image: image('web'),
      http_port: 8080,
      health_check: { http_path: '/' },
      env_vars: { NAME: name },
      env_vars_secret: { TOKEN: 'secret://env/TOKEN' },
      termination: { grace_period_seconds: 0 },
    }),
    changed: (name) => ({
      image: image('web'),
      http_port: 8080,
      env_vars: { NAME: `${name} now` },
      instance_count: 2,
      memory: '64Mi',
      cpu: 0.5,
      termination: { grace_period_seconds: 0 },
    }),
    sensitive: ['applied'],
  },
  {
    type: 'infra.cache',
    slow: true,
    config: () => ({ image: image('redis') }),
    changed: () => ({ image: image('redis'), memory: '64Mi' }),
    forced: () => ({ image: image('redis'), engine: 'valkey' }),
  },
  { type: 'infra.registry', slow: true, config: () => ({ image: image('registry') }), foreign: foreignVolume('.data') },
];
