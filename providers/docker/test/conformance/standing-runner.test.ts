import { runnerConformance } from '@errand/testkit';
import { dockerProvider } from '@errand/provider-docker';
import { findBed, podmanSkips } from '../bed.ts';

const bed = await findBed();

runnerConformance('docker, standing', {
  standing: true,
  open: (home) => dockerProvider.open({ home, signal: new AbortController().signal }),
  options: { profile: 'permissive', network: 'none' },
  ...(typeof bed === 'string' ? { missing: bed } : { image: bed.image, ...(bed.podman ? { skips: podmanSkips } : {}) }),
});
