// The same suites against Podman's service, which speaks the same API.
import { hostConformance, runnerConformance } from '@errand/testkit';
import { dockerProvider } from '@errand/provider-docker';
import { findPodman, podmanSkips } from '../bed.ts';

const bed = await findPodman();

// Every place of Podman is a standing one, whether that was asked for or not (see the provider's README).
const subject = {
  open: (home: string) => dockerProvider.open({ home, signal: new AbortController().signal }),
  options: { profile: 'permissive', network: 'none', ...(typeof bed === 'string' ? {} : { engine: bed.address }) },
  ...(typeof bed === 'string' ? { missing: bed } : { image: bed.image }),
};
runnerConformance('podman', typeof bed === 'string' ? subject : { ...subject, skips: podmanSkips });
hostConformance('podman', subject);
