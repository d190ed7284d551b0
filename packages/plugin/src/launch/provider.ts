import type { Ask, Host, Json, Provider, Runner } from '@errand/contract';
import type { PluginProvider } from './connect-plugin.ts';
import { keep } from './keep.ts';
import type { Alive, KeepOptions, Kept } from './keep.ts';
import { keptInfra, present } from './kept-infra.ts';
import { beginLaunch } from './begin.ts';
import type { LaunchOptions } from './begin.ts';

export interface PluginProviderOptions extends LaunchOptions {
  /** How the provider is called in the configuration; for messages. */
  readonly name: string;
  /** How soon a plugin that dies young is launched again. */
  readonly relaunch?: Omit<KeepOptions, 'name'>;
  /** The infrastructure provider's own keys; a plugin of ours is asked for its `infra` only when they are there. */
  readonly config?: Json;
  /** The plaintext behind a `secret://` reference in `config`. */
  readonly secret?: (reference: string) => Promise<string>;
}

/**
 * A provider in a program of its own. It is launched at once, because what it can is asked before anything else; when it
 * dies, calls in flight fail with `provider/unreachable` and the next one launches it again.
 */
export async function openPluginProvider(options: PluginProviderOptions): Promise<Provider & Pick<PluginProvider, 'served'>> {
  const { name, relaunch, signal: opening = new AbortController().signal } = options;
  // Only the first launch is the opener's; a later one serves whoever calls then.
  let isFirst = true;
  const launch = (closing: AbortSignal) => launchAndConnect(options, isFirst ? AbortSignal.any([opening, closing]) : closing);
  const kept = keep(launch, { name, ...relaunch });
  try {
    const first = await kept.use(opening, async (provider) => provider);
    isFirst = false;
    const check: Provider['check'] = (request, ask) =>
      kept.use(ask.signal, async (provider) => (await provider.check?.(request, ask)) ?? []);
    const warm = () => void kept.use(AbortSignal.timeout(10_000), async (provider) => provider.warm?.()).catch(() => undefined);
    return {
      capabilities: first.capabilities,
      served: first.served,
      ...(first.host && { host: keptHost(name, kept) }),
      ...(first.runner && { runner: keptRunner(name, kept) }),
      ...(first.infra && { infra: keptInfra(name, kept, first.infra) }),
      ...(first.check && { check }),
      ...(first.warm && { warm }),
      [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose](),
    };
  } catch (error) {
    await kept[Symbol.asyncDispose]();
    throw error;
  }
}

async function launchAndConnect(options: PluginProviderOptions, signal: AbortSignal): Promise<Alive<PluginProvider>> {
  const begun = await beginLaunch({ ...options, signal, ...(options.config === undefined && { wanted: 'jobs' }) });
  const { connectPlugin, finishLaunch } = await import('./talk.ts');
  const plugin = await finishLaunch(begun);
  try {
    const { address, credentials, options: channel } = plugin.connection;
    const { name, config, secret } = options;
    const provider = await connectPlugin({ name, address, credentials, channel, signal, config, secret });
    const gone = plugin.ended.then(() => plugin.epitaph() ?? 'it ended');
    void gone.then(() => provider[Symbol.asyncDispose]());
    const stop = async () => {
      // A call of ours that stays open would hold up its end.
      await provider[Symbol.asyncDispose]();
      await plugin.stop();
    };
    return { value: provider, gone, epitaph: plugin.epitaph, stop };
  } catch (error) {
    await plugin.stop();
    throw error;
  }
}

function keptHost(name: string, kept: Kept<PluginProvider>): Host {
  const use = <R>(ask: Ask, call: (host: Host) => Promise<R>) =>
    kept.use(ask.signal, (provider) => call(present(name, 'host', provider.host)));
  const each = <R>(ask: Ask, call: (host: Host) => AsyncIterable<R>) =>
    kept.each(ask.signal, (provider) => call(present(name, 'host', provider.host)));
  return {
    acquire: (spec, call) => use(call, (host) => host.acquire(spec, call)),
    renew: (place, expiresAt, call) => use(call, (host) => host.renew(place, expiresAt, call)),
    realize: (place, files, call) => use(call, (host) => host.realize(place, files, call)),
    collect: (place, patterns, ask) => each(ask, (host) => host.collect(place, patterns, ask)),
    release: (place, call) => use(call, (host) => host.release(place, call)),
    inventory: (owner, ask) => each(ask, (host) => host.inventory(owner, ask)),
  };
}

function keptRunner(name: string, kept: Kept<PluginProvider>): Runner {
  const use = <R>(ask: Ask, call: (runner: Runner) => Promise<R>) =>
    kept.use(ask.signal, (provider) => call(present(name, 'runner', provider.runner)));
  const each = <R>(ask: Ask, call: (runner: Runner) => AsyncIterable<R>) =>
    kept.each(ask.signal, (provider) => call(present(name, 'runner', provider.runner)));
  return {
    start: (spec, call) => use(call, (runner) => runner.start(spec, call)),
    wait: (job, ask) => use(ask, (runner) => runner.wait(job, ask)),
    logs: (job, after, ask) => each(ask, (runner) => runner.logs(job, after, ask)),
    stop: (job, how, call) => use(call, (runner) => runner.stop(job, how, call)),
    find: (owner, ask) => each(ask, (runner) => runner.find(owner, ask)),
  };
}
