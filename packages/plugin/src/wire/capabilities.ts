import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Capabilities } from '@errand/contract';
import type { Capabilities as CapabilitiesMessage, CapabilitiesSchema } from '../gen/errand/v1/provider_pb.js';
import { Malformed, required } from './malformed.ts';

export function sendCapabilities(capabilities: Capabilities): MessageInitShape<typeof CapabilitiesSchema> {
  return { ...capabilities, resources: [...capabilities.resources] };
}

/** What an older far side does not know it does not have: an absent field is a "no". */
export function readCapabilities(message: CapabilitiesMessage | undefined): Capabilities {
  const { $typeName: _, $unknown: __, image, resources, ...flags } = required(message, 'the list of capabilities');
  if (image !== 'required' && image !== 'optional' && image !== 'none') {
    throw new Malformed(`the capability "image" is ${JSON.stringify(image)}`);
  }
  return { ...flags, image, resources: resources.filter((name) => name === 'cpu' || name === 'memory') };
}
