// A plugin of the public contract that runs no jobs: it lists regions.
import { IaCProviderRegionLister } from '../../src/gen/workflow/plugin/external/iac/iac_pb.js';
import { serveRegistry } from '../../src/iac/registry.ts';
import { servePlugin } from '../../src/serve/serve-plugin.ts';
import { answer } from '../../src/wire/answer.ts';
import { serviceDefinition } from '../../src/wire/definition.ts';

await servePlugin({
  name: 'no-jobs',
  open: async (server) => {
    server.addService(serviceDefinition(IaCProviderRegionLister), {
      listRegions: answer({}, IaCProviderRegionLister.method.listRegions, async () => ({})),
    });
    serveRegistry(server, { name: 'no-jobs', version: '1.0.0' }, [IaCProviderRegionLister.typeName]);
    return { [Symbol.asyncDispose]: async () => undefined };
  },
});
