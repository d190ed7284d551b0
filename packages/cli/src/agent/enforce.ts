// The agent's policy, as a provider around its machine's own. What is not allowed is refused before the machine's
// provider hears of it.
import { isErrandError } from '@errand/contract';
import type { Handle, Host, JobSpec, Json, PlaceSpec, Provider, Runner, SecretCall } from '@errand/contract';
import { keepJob } from './keep.ts';
import type { Machine } from './machine.ts';
import type { Owners } from './owners.ts';
import { grant, grantTimeout, refused } from './policy.ts';
import type { Policy, Wish } from './policy.ts';
import { isAgentSecret } from './secrets.ts';
import type { AgentSecrets } from './secrets.ts';
import type { Slots } from './slots.ts';

export interface Rules {
  readonly machine: Machine;
  readonly policy: Policy;
  readonly slots: Slots;
  readonly owners: Owners;
  readonly secrets: AgentSecrets;
  /** Fires when the agent leaves. Jobs go on. */
  readonly leaving: AbortSignal;
  /** For whoever looks after the machine. */
  readonly say: (line: string) => void;
}

export function enforce(provider: Provider, rules: Rules): Provider {
  const { host, runner, capabilities } = provider;
  const epochs = createEpochs();
  return {
    capabilities,
    ...(host && { host: enforceHost(provider, host, rules, epochs) }),
    ...(runner && { runner: enforceRunner(provider, runner, rules, epochs) }),
    async check(request, ask) {
      try {
        const granted = await allow(provider, rules, request);
        return (await provider.check?.(granted, ask)) ?? [];
      } catch (error) {
        if (!isErrandError(error, 'provider/refused')) throw error;
        return [{ severity: 'error', message: error.message, ...(error.next !== undefined && { hint: error.next }) }];
      }
    },
    ...(provider.warm && { warm: () => provider.warm?.() }),
    [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose](),
  };
}

function enforceHost(provider: Provider, host: Host, rules: Rules, epochs: Epochs): Host {
  return {
    ...host,
    async acquire(spec, call) {
      const granted: PlaceSpec = await allow(provider, rules, spec);
      rules.owners.remember(spec.owner);
      const place = await host.acquire(granted, call);
      epochs.note(place, call.epoch);
      return place;
    },
    async renew(place, expiresAt, call) {
      await host.renew(place, expiresAt, call);
      epochs.note(place, call.epoch);
    },
    async release(ref, call) {
      await host.release(ref, call);
      if (ref.handle) epochs.forget(ref.handle);
    },
  };
}

function enforceRunner(provider: Provider, runner: Runner, rules: Rules, epochs: Epochs): Runner {
  const { nativeTimeout } = provider.capabilities;
  return {
    ...runner,
    async start(spec, call) {
      const timeout = grantTimeout(rules.machine, rules.policy, spec);
      const granted = withSecrets(provider, rules, { ...(await allow(provider, rules, spec)), ...timeout }, call);
      rules.owners.remember(spec.owner);
      const first = rules.slots.take(call.key);
      let handle: Handle<'job'> | undefined;
      try {
        handle = await runner.start(granted.spec, granted.call);
        if (first) rules.say(`started ${JSON.stringify(call.key)} for ${JSON.stringify(spec.owner)}`);
        if (spec.place) epochs.note(spec.place, call.epoch);
        return handle;
      } finally {
        if (first) void keep(call.key, handle, granted.spec);
      }
    },
  };

  /** Until the job is gone it has its slot. */
  async function keep(key: string, known: Handle<'job'> | undefined, spec: JobSpec): Promise<void> {
    const { timeout, grace, place } = spec;
    const epoch = () => (place ? epochs.latest(place) : 0);
    const limit = nativeTimeout || timeout === undefined ? {} : { timeout };
    try {
      const handle = known ?? (await findJob(runner, spec.owner, key, rules.leaving));
      if (handle) await keepJob(runner, { ref: { key, handle }, grace, epoch, ...limit }, rules.leaving);
    } finally {
      if (!rules.leaving.aborted) rules.slots.free(key);
    }
  }
}

/** A start that ended in an error may have started it all the same. Only looks: whoever asked may be asking again. */
async function findJob(runner: Runner, owner: string, key: string, signal: AbortSignal): Promise<Handle<'job'> | undefined> {
  try {
    for await (const seen of runner.find(owner, { signal, log: () => undefined })) {
      if (seen.key === key && seen.alive) return seen.handle;
    }
  } catch {
    // Then nobody counts it; that is better than a slot that is never free again.
  }
  return undefined;
}

/** Options come from another machine, so the provider's own schema looks at them here, not only over there. */
async function allow<W extends Wish>(provider: Provider, { machine, policy }: Rules, wish: W): Promise<W> {
  if (wish.image !== undefined && provider.capabilities.image === 'none') {
    throw refused(`an image: its jobs are processes, and ${JSON.stringify(wish.image)} would be ignored`);
  }
  const granted = grant(machine, policy, wish);
  const parsed = await (await machine.definition.options()).safeParseAsync(granted.options);
  if (parsed.success) return { ...granted, options: parsed.data as Json };
  const [issue] = parsed.error.issues;
  throw refused(`these options: ${issue?.path.map(String).join('.') ?? ''} ${issue?.message ?? ''}`.trim());
}

/** Only where the output is masked on this machine: the client does not know the value and could not. */
function withSecrets(provider: Provider, { secrets }: Rules, spec: JobSpec, call: SecretCall) {
  const asked = Object.entries(spec.env).filter(([, value]) => isAgentSecret(value));
  if (asked.length === 0) return { spec, call };
  if (!provider.capabilities.redactsLogs) {
    throw refused(`its secrets in ${asked.map(([name]) => name).join(', ')}: they could show up in the output`);
  }
  const env = Object.fromEntries(Object.entries(spec.env).filter(([, value]) => !isAgentSecret(value)));
  const resolve = (reference: string) => (isAgentSecret(reference) ? secrets.resolve(reference) : call.secret(reference));
  return {
    spec: { ...spec, env, secretEnv: { ...spec.secretEnv, ...Object.fromEntries(asked) } },
    call: { ...call, secret: resolve },
  };
}

interface Epochs {
  note(place: Handle<'place'>, epoch: number): void;
  latest(place: Handle<'place'>): number;
  forget(place: Handle<'place'>): void;
}

/** To end a job at its limit the agent must not be taken for an old holder, and must not shut the new one out. */
function createEpochs(): Epochs {
  const seen = new Map<string, number>();
  const nameOf = (place: Handle<'place'>) => JSON.stringify(place.state);
  return {
    note: (place, epoch) => void seen.set(nameOf(place), Math.max(epoch, seen.get(nameOf(place)) ?? 0)),
    latest: (place) => seen.get(nameOf(place)) ?? 0,
    forget: (place) => void seen.delete(nameOf(place)),
  };
}
