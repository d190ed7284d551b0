import type { Ask, Diagnostic, EnvironmentRequest } from '@errand/contract';
import type { Hosts } from './hosts.ts';
import { accountOf } from './options.ts';
import { patiently } from './patience.ts';

/** A cut that is over soon is not heard of; one who waits for a machine that is down should not wait long. */
const patience = 2_000;

/** Reaches the machine and looks for what the far side needs. Who cannot be reached is an error, not a diagnostic. */
export async function check(hosts: Hosts, request: EnvironmentRequest, ask: Ask): Promise<readonly Diagnostic[]> {
  const { remote } = hosts.at(request.options);
  const missing = await patiently(() => remote.ready(ask.signal), ask.signal, patience);
  return missing.map((tool) => ({
    severity: 'error',
    message: `${accountOf(remote.target)} has no ${tool}`,
    hint: 'Install it there, or use another machine.',
  }));
}
