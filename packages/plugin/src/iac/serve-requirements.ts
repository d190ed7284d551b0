import { IaCProviderRequirementMapper, IaCRequirementDiscovery } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { answer } from '../wire/answer.ts';
import { jsonValue } from '../wire/json.ts';
import { optional } from '../wire/values.ts';
import { readContext, readRequirement, sendMapped, sendRequirement } from './requirement-values.ts';
import { facet } from './serve-services.ts';
import type { Registration } from './serve-services.ts';
import type { Served } from './served.ts';
import { runtimes, wordOf } from './words.ts';

export function requirementServices(served: Served): readonly Registration[] {
  const { preview } = served;
  return [...(preview.requirementDiscovery ? [discovery(served)] : []), ...(preview.requirementMapper ? [mapper(served)] : [])];
}

function discovery(served: Served): Registration {
  const { discoverRequirements } = IaCRequirementDiscovery.method;
  const discover = answer(served.answers, discoverRequirements, async ({ context, moduleConfigJson }, ask) => {
    const config = jsonValue(moduleConfigJson, 'the config of the module');
    const found = await facet(served, 'requirementDiscovery').discover(readContext(context), config, ask);
    return { requirements: found.map(sendRequirement) };
  });
  return [IaCRequirementDiscovery, { discoverRequirements: discover }];
}

function mapper(served: Served): Registration {
  const { mapRequirements } = IaCProviderRequirementMapper.method;
  const map = answer(served.answers, mapRequirements, async ({ provider, runtime, environment, requirements }, ask) => {
    const asked = { provider, environment, requirements: requirements.map(readRequirement) };
    const word = optional({ runtime: wordOf(runtimes, runtime) });
    return sendMapped(await facet(served, 'requirementMapper').map({ ...asked, ...word }, ask));
  });
  return [IaCProviderRequirementMapper, { mapRequirements: map }];
}
