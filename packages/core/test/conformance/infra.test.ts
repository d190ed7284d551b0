import { infraConformance } from '@errand/testkit';

infraConformance('in process', {
  connect: async (infra) => ({ infra, [Symbol.asyncDispose]: async () => {} }),
  tellsUpserts: true,
});
