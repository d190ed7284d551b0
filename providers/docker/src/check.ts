import type { Ask, Diagnostic, EnvironmentRequest } from '@errand/contract';
import type { EngineInfo } from './client.ts';
import type { Engines } from './engines.ts';
import { trying } from './errors.ts';
import { readOptions } from './options.ts';
import type { Options } from './options.ts';

/** The engine refuses less. */
const leastMemory = 6 * 1024 * 1024;
/** Not networks but ways to do without one of a name; `default` is what the engine itself would choose. */
const modes = ['default', 'none', 'host'];

/** A limit that the engine would leave out without a word is refused here, never weakened. */
export async function check(engines: Engines, request: EnvironmentRequest, ask: Ask): Promise<readonly Diagnostic[]> {
  const options = readOptions(request.options);
  const engine = engines.at(options.engine);
  return trying(engine, `tried to ask the engine at ${engine.address} what it can do`, async () => {
    const info = await engines.info(engine, ask.signal);
    const missing =
      modes.includes(options.network) || (await engine.hasNetwork(options.network, ask.signal)) ? [] : [noNetwork(options)];
    return [...refusals(info, request, options), ...missing];
  });
}

export function refusals(info: EngineInfo, { resources }: EnvironmentRequest, options: Options): Diagnostic[] {
  const { profile } = options;
  const memory = resources.memory ?? profile.memory;
  const cpu = resources.cpu ?? profile.cpus;
  const problems: Diagnostic[] = [];
  const refuse = (message: string, hint: string) => problems.push({ severity: 'error', message, hint });
  const without = (limit: string) => `Give the engine that control group, or choose a profile without a limit of ${limit}.`;
  if (info.os !== 'linux') refuse(`the engine runs ${info.os} containers`, 'Use an engine for Linux containers.');
  if (memory !== undefined && !info.limitsMemory) refuse('the engine cannot limit memory', without('memory'));
  if (cpu !== undefined && !info.limitsCpu) refuse('the engine cannot limit CPU time', without('CPU time'));
  if (profile.pids !== undefined && !info.limitsPids) refuse('the engine cannot limit processes', without('processes'));
  if (memory !== undefined && memory < leastMemory) {
    refuse(`the engine cannot limit memory to ${memory} bytes`, 'Give it at least 6 MiB.');
  }
  if (cpu !== undefined && cpu > info.cpus) {
    refuse(`${cpu} CPUs were asked for, and the engine has ${info.cpus}`, 'Ask for fewer with resources.cpu.');
  }
  return problems;
}

const noNetwork = ({ network }: Options): Diagnostic => ({
  severity: 'error',
  message: `the engine has no network ${JSON.stringify(network)}`,
  hint: 'Make it with `docker network create`, or set network: none.',
});
