import type { Capabilities, Diagnostic, EnvironmentRequest } from '@errand/contract';

/**
 * What the way to an agent can carry. Which agent it is depends on the environment, and an agent that cannot be reached
 * must not keep others from being listed; so an ability that is not certain of every agent is not claimed, and a demand
 * that not every agent can meet is put to the one in question by `check`.
 */
export const capabilities: Capabilities = {
  exactSignal: false,
  liveLogs: true,
  streamSplit: true,
  nativeTimeout: false,
  nativeExpiry: false,
  redactsLogs: false,
  resources: ['cpu', 'memory'],
  image: 'optional',
  workspaceIn: true,
  workspaceOut: true,
};

export function lacking(can: Capabilities, address: string, request: EnvironmentRequest): Diagnostic[] {
  const problems: Diagnostic[] = [];
  const refuse = (message: string, hint: string) =>
    problems.push({ severity: 'error', message: `the agent at ${address} ${message}`, hint });
  for (const limit of ['cpu', 'memory'] as const) {
    if (request.resources[limit] !== undefined && !can.resources.includes(limit)) {
      refuse(`cannot limit ${limit}`, `Remove resources.${limit}, or use another agent.`);
    }
  }
  if (request.image !== undefined && can.image === 'none') refuse('does not run images', 'Remove the image.');
  if (request.image === undefined && can.image === 'required') refuse('needs an image', 'Give one, or use --image.');
  if (request.workspaceIn && !can.workspaceIn) refuse('cannot take a workspace', 'Leave --workspace out.');
  if (request.workspaceOut && !can.workspaceOut) refuse('cannot give files back', 'Leave --collect out.');
  return problems;
}
