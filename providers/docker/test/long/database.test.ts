import { driverConformance } from '@errand/testkit';
import { findServiceBed } from '../images.ts';
import { foreignVolume, open, openCutOff } from '../infra.ts';

const bed = await findServiceBed();
const missing = typeof bed === 'string' ? bed : typeof bed.postgres === 'string' ? bed.postgres : undefined;
const image = typeof bed === 'string' || typeof bed.postgres === 'string' ? '' : bed.postgres.image;

driverConformance('docker', {
  open,
  openCutOff,
  program: new URL('../infra.ts', import.meta.url),
  missing,
  samples: [
    {
      type: 'infra.database',
      slow: true,
      config: () => ({ engine: 'postgres', image }),
      changed: () => ({ engine: 'postgres', image, memory: '256Mi' }),
      forced: () => ({ engine: 'postgres', image, database: 'other' }),
      sensitive: ['password', 'uri', 'external_uri', 'applied'],
      foreign: foreignVolume('.data'),
    },
  ],
});
