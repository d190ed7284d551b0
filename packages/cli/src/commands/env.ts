import { isErrandError } from '@errand/contract';
import type { Capabilities, Diagnostic } from '@errand/contract';
import type { Action } from '../command.ts';
import { printJson, printLine } from '../context.ts';
import { FAILED } from '../exit-status.ts';
import { diagnosticLines } from '../render/diagnostic.ts';
import { table } from '../render/table.ts';
import { visible } from '../render/text.ts';
import { sayOutdated } from './outdated.ts';

export const envListCommand: Action = async (context) => {
  await using runtime = await context.open({ recover: false });
  const environments = await runtime.environments();
  if (context.json) {
    for (const one of environments) await printJson(context, one);
    return 0;
  }
  const head = ['ENVIRONMENT', 'PROVIDER', 'LEASES', 'CAN', 'SUMMARY'].map((text) => ({ text, paint: context.style.bold }));
  const rows = environments.map((one) => [
    { text: visible(one.name) },
    { text: visible(one.provider) },
    { text: one.warm > 0 ? `${one.policy}, ${one.warm} warm` : one.policy },
    one.capabilities ? { text: abilities(one.capabilities) } : { text: 'not available', paint: context.style.red },
    { text: visible(one.problem ?? one.summary), paint: context.style.dim },
  ]);
  for (const line of table(head, rows, context.out.columns)) await printLine(context, line);
  const leases = await runtime.leases();
  await sayOutdated(context, leases, await runtime.outdated(leases));
  return 0;
};

export const envCheckCommand: Action = async (context, args) => {
  await using runtime = await context.open({ recover: false });
  const only = args.positional(0);
  let blocked = false;
  const written = [...runtime.config.environments.values()].filter((one) => !one.unwritten).map((one) => one.name);
  for (const environment of only === undefined ? written : [only]) {
    // One that cannot be asked is not ready; the others are still looked at.
    const diagnostics = await runtime.check(environment).catch(problemOf);
    const ready = diagnostics.every((one) => one.severity !== 'error');
    blocked ||= !ready;
    if (context.json) {
      await printJson(context, { environment, ready, diagnostics });
      continue;
    }
    await printLine(context, `${visible(environment)}: ${ready ? context.style.green('ready') : context.style.red('not ready')}`);
    for (const line of diagnostics.flatMap(diagnosticLines)) await printLine(context, `  ${line}`);
  }
  return blocked ? FAILED : 0;
};

function problemOf(error: unknown): readonly Diagnostic[] {
  if (!isErrandError(error) || error.code === 'environment/unknown') throw error;
  return [{ severity: 'error', message: error.message, ...(error.next !== undefined && { hint: error.next }) }];
}

function abilities(can: Capabilities): string {
  const words = [
    can.liveLogs && 'live-logs',
    can.streamSplit && 'stream-split',
    can.exactSignal && 'exact-signal',
    can.nativeTimeout && 'native-timeout',
    can.nativeExpiry && 'native-expiry',
    can.image !== 'none' && `image-${can.image}`,
    can.workspaceIn && 'workspace-in',
    can.workspaceOut && 'workspace-out',
    ...can.resources,
  ];
  return words.filter((word) => word !== false).join(' ');
}
