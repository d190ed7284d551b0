import type { Host, Provider, ProviderDefinition, Runner } from '@errand/contract';
import type { Tracer } from './tracer.ts';

/** Every opened provider of the definition shares the tracer's numbers. */
export function traceProvider(definition: ProviderDefinition, tracer: Tracer): ProviderDefinition {
  return {
    ...definition,
    async open(context) {
      const provider = await definition.open(context);
      const traced: Provider = {
        ...provider,
        ...(provider.host && { host: traceHost(provider.host, tracer) }),
        ...(provider.runner && { runner: traceRunner(provider.runner, tracer) }),
        [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
      };
      return traced;
    },
  };
}

function traceHost(host: Host, tracer: Tracer): Host {
  return {
    acquire: (spec, call) => tracer.step('host.acquire', () => host.acquire(spec, call)),
    renew: (place, expiresAt, call) => tracer.step('host.renew', () => host.renew(place, expiresAt, call)),
    realize: (place, files, call) => tracer.step('host.realize', () => host.realize(place, files, call)),
    collect: (place, patterns, ask) => tracer.stream('host.collect', () => host.collect(place, patterns, ask)),
    release: (place, call) => tracer.step('host.release', () => host.release(place, call)),
    inventory: (owner, ask) => tracer.stream('host.inventory', () => host.inventory(owner, ask)),
  };
}

function traceRunner(runner: Runner, tracer: Tracer): Runner {
  return {
    start: (spec, call) => tracer.step('runner.start', () => runner.start(spec, call)),
    wait: (job, ask) => tracer.step('runner.wait', () => runner.wait(job, ask)),
    logs: (job, after, ask) => tracer.stream('runner.logs', () => runner.logs(job, after, ask)),
    stop: (job, how, call) => tracer.step(`runner.stop(${how})`, () => runner.stop(job, how, call)),
    find: (owner, ask) => tracer.stream('runner.find', () => runner.find(owner, ask)),
  };
}
