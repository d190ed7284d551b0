import type { RequirementDiscovery, RequirementMapper } from '@errand/contract';
import { IaCProviderRequirementMapper, IaCRequirementDiscovery } from '../gen/workflow/plugin/external/iac/iac_pb.js';
import { jsonBytes } from '../wire/json.ts';
import { askFor } from './line.ts';
import type { Line } from './line.ts';
import { readMapped, readRequirement, sendContext, sendRequirement } from './requirement-values.ts';
import { numberOf, runtimes } from './words.ts';

export function connectRequirementDiscovery(line: Line): RequirementDiscovery {
  const { discoverRequirements } = IaCRequirementDiscovery.method;
  return {
    discover: (context, moduleConfig, ask) => {
      const request = { context: sendContext(context), moduleConfigJson: jsonBytes(moduleConfig) };
      return askFor(line, { verb: 'find out what is needed' }, discoverRequirements, request, ask, ({ requirements }) =>
        requirements.map(readRequirement),
      );
    },
  };
}

export function connectRequirementMapper(line: Line): RequirementMapper {
  const { mapRequirements } = IaCProviderRequirementMapper.method;
  return {
    map: ({ provider, runtime, environment, requirements }, ask) => {
      const sent = { provider, runtime: numberOf(runtimes, runtime), environment };
      const request = { ...sent, requirements: requirements.map(sendRequirement) };
      return askFor(line, { verb: 'turn needs into modules' }, mapRequirements, request, ask, readMapped);
    },
  };
}
