import type { Ask, Diagnostic, EnvironmentRequest } from '@errand/contract';
import type { Hosts } from './hosts.ts';
import { accountOf } from './options.ts';

/** Reaches the machine and looks for what the far side needs. Who cannot be reached is an error, not a diagnostic. */
export async function check(hosts: Hosts, request: EnvironmentRequest, ask: Ask): Promise<readonly Diagnostic[]> {
  const { remote } = hosts.at(request.options);
  const missing = await remote.ready(ask.signal);
  return missing.map((tool) => ({
    severity: 'error',
    message: `${accountOf(remote.target)} has no ${tool}`,
    hint: 'Install it there, or use another machine.',
  }));
}
