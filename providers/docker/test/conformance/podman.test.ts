// The same suites against Podman's service, which speaks the same API.
import { hostConformance, runnerConformance } from '@errand/testkit';
import { dockerProvider } from '@errand/provider-docker';
import { findPodman, podmanSkips } from '../bed.ts';

const bed = await findPodman();

for (const standing of [false, true]) {
  const subject = {
    open: (home: string) => dockerProvider.open({ home, signal: new AbortController().signal }),
    standing,
    options: { profile: 'permissive', network: 'none', ...(typeof bed === 'string' ? {} : { engine: bed.address }) },
    ...(typeof bed === 'string' ? { missing: bed } : { image: bed.image }),
  };
  const name = standing ? 'podman, standing' : 'podman';
  runnerConformance(name, typeof bed === 'string' ? subject : { ...subject, skips: podmanSkips });
  hostConformance(name, subject);
}
