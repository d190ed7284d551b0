import { hostConformance } from '@errand/testkit';
import { localProvider } from '@errand/provider-local';

hostConformance('local', {
  open: (home) => localProvider.open({ home, signal: new AbortController().signal }),
});
