import { resolve } from 'node:path';
import { dataDirectory } from '@errand/core';
import type { Action } from '../command.ts';
import { printJson } from '../context.ts';

/** Runs until it is told to leave. Jobs go on; a restarted agent finds them. */
export const agentCommand: Action = async (context, args) => {
  const { dropEnvironment } = await import('../agent/lean-environment.ts');
  dropEnvironment(context.env);
  const left = Promise.withResolvers<void>();
  using _ = context.onInterrupt(() => left.resolve());
  const { readAgentSettings } = await import('../agent/settings.ts');
  const settings = await readAgentSettings(
    {
      config: context.config,
      listen: args.text('listen'),
      tokenFile: args.text('token-file'),
      noToken: args.flag('no-token'),
      tlsCert: args.text('tls-cert'),
      tlsKey: args.text('tls-key'),
      clientCa: args.text('client-ca'),
      use: args.text('use'),
    },
    context.cwd,
  );
  const { startAgent } = await import('../agent/serve.ts');
  const { version } = await import('../version.ts');
  const home = context.home === undefined ? dataDirectory(context) : resolve(context.cwd, context.home);
  const say = (line: string) => void context.say(line);
  await using agent = await startAgent(settings, { home, version, say, warn: (line) => void context.warn(line) });
  const provider = settings.machine.definition.name;
  if (context.json) await printJson(context, { listening: agent.address, provider });
  await context.say(`listening on ${agent.address}, jobs run on ${provider}`);
  await left.promise;
  await context.say('leaving; jobs go on');
  return 0;
};
