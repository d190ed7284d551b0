import { runnerConformance } from '@errand/testkit';
import { localProvider } from '@errand/provider-local';

runnerConformance('local', {
  open: (home) => localProvider.open({ home, signal: new AbortController().signal }),
});
