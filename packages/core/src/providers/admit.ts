import { ErrandError } from '@errand/contract';
import type { Capabilities, Diagnostic, EnvironmentRequest, Provider } from '@errand/contract';

export interface Demand extends EnvironmentRequest {
  readonly environment: string;
  readonly provider: string;
  readonly workspaceIn: boolean;
  readonly workspaceOut: boolean;
  /** Places are reused, kept, kept ready or provisioned, so there must be places. */
  readonly standing?: boolean;
}

/** Refuses, before anything starts, what the provider cannot do; nothing that was asked for is ever ignored. */
export async function admit(provider: Provider, demand: Demand, signal: AbortSignal): Promise<void> {
  const problems = await refusals(provider, demand, signal);
  const [first] = problems;
  if (!first) return;
  throw new ErrandError('environment/unsupported', `the environment '${demand.environment}' cannot run this: ${first.message}`, {
    diagnostics: problems,
    ...(first.hint && { next: first.hint }),
  });
}

export async function refusals(provider: Provider, demand: Demand, signal: AbortSignal): Promise<readonly Diagnostic[]> {
  const own = provider.check ? await provider.check(demand, { signal, log: () => {} }) : [];
  return [
    ...lacking(provider.capabilities, demand),
    ...placeless(provider, demand),
    ...own.filter((problem) => problem.severity === 'error'),
  ];
}

function placeless(provider: Provider, demand: Demand): Diagnostic[] {
  if (!demand.standing || provider.host) return [];
  const message = `${demand.provider} has no standing places to reuse, keep, warm or provision`;
  return [{ severity: 'error', message, hint: 'Remove warm and provision, and set lease.policy to fresh.' }];
}

function lacking(can: Capabilities, demand: Demand): Diagnostic[] {
  const problems: Diagnostic[] = [];
  const refuse = (message: string, hint: string) => problems.push({ severity: 'error', message, hint });
  for (const limit of ['cpu', 'memory'] as const) {
    if (demand.resources[limit] !== undefined && !can.resources.includes(limit)) {
      refuse(`${demand.provider} cannot limit ${limit}`, `Remove resources.${limit} or choose another provider.`);
    }
  }
  if (demand.image !== undefined && can.image === 'none') {
    refuse(`${demand.provider} does not run images`, 'Remove the image or choose another provider.');
  }
  if (demand.image === undefined && can.image === 'required') {
    refuse(`${demand.provider} needs an image`, 'Give the environment an image, or use --image.');
  }
  if (demand.workspaceIn && !can.workspaceIn) refuse(`${demand.provider} cannot take a workspace`, 'Leave --workspace out.');
  if (demand.workspaceOut && !can.workspaceOut)
    refuse(`${demand.provider} cannot give files back`, 'Leave --collect and --sync-back out.');
  return problems;
}
