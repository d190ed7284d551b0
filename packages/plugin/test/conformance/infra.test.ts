// The engine's scenarios with a real wire between it and the platform.
import { infraConformance } from '@errand/testkit';
import { throughIac } from '../iac.ts';

infraConformance('over the public contract alone', {
  connect: (infra) => throughIac(infra, { far: 'stranger' }),
  tellsUpserts: false,
});

infraConformance('over the public contract and errand.v1', {
  connect: (infra) => throughIac(infra, { far: 'ours' }),
  tellsUpserts: true,
});
