// Faults by script, and the record of every call that came.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrandError } from '@errand/contract';
import type { Ask, Attributes, Call, ErrorCode } from '@errand/contract';

export type FakeMethod =
  | 'read'
  | 'readMany'
  | 'diff'
  | 'diffMany'
  | 'create'
  | 'update'
  | 'delete'
  | 'replace'
  | 'scale'
  | 'health'
  | 'troubleshoot'
  | 'sizing'
  | 'import'
  | 'status'
  | 'bootstrap'
  | 'enumerate'
  | 'byTag'
  | 'detect'
  | 'revoke'
  | 'regions'
  | 'getOwner'
  | 'setOwner'
  | 'listOwners'
  | 'finalize'
  | 'repair'
  | 'validate'
  | 'capture'
  | 'discover'
  | 'map'
  | 'state.configure'
  | 'state.get'
  | 'state.save'
  | 'state.list'
  | 'state.delete'
  | 'state.lock'
  | 'state.unlock';

export type FakeFault =
  | { readonly do: 'delay'; readonly ms: number }
  /** An error and no effect. */
  | { readonly do: 'refuse'; readonly code: ErrorCode; readonly message?: string }
  /** The effect, and then an error instead of the answer; `provider/unreachable` unless told otherwise. */
  | { readonly do: 'lose-reply'; readonly code?: ErrorCode }
  /** No effect and no answer until the caller gives up. */
  | { readonly do: 'hang' }
  /** The effect, and no answer until the caller gives up. */
  | { readonly do: 'hang-after' }
  /** This process ends by SIGKILL, before or after the effect. */
  | { readonly do: 'die' }
  | { readonly do: 'die-after' }
  /** For `create`: the resource is there and unfinished, and the call fails with the code, or this process dies. */
  | { readonly do: 'half'; readonly code?: ErrorCode; readonly die?: boolean };

export interface FakeRule {
  readonly on: FakeMethod | 'any' | 'mutating';
  readonly fault: FakeFault;
  readonly type?: string;
  readonly name?: string;
  /** Only these of the calls that match, counted from 1, both ends included. All when absent. */
  readonly calls?: readonly [first: number, last: number];
}

export interface FakeCall {
  readonly method: FakeMethod;
  readonly type: string;
  readonly name: string;
  readonly providerId?: string;
  /** Of mutating calls. */
  readonly key?: string;
  readonly epoch?: number;
  /** As it came. */
  readonly config?: Attributes;
  /** Whatever else came. */
  readonly args?: unknown;
}

export interface Subject {
  readonly type?: string;
  readonly name?: string;
  readonly providerId?: string;
  readonly config?: Attributes;
  readonly args?: unknown;
}

export interface Line {
  readonly calls: FakeCall[];
  add(rule: FakeRule): void;
  clear(): void;
  /** While cut, every call but `diff`, `diffMany` and `validate` fails: those must not need the platform. */
  cut(isCut: boolean): void;
  /** Brings one call to the platform. `effect` gets true when only the half of it may be done. */
  deliver<T>(method: FakeMethod, subject: Subject, ask: Ask | Call, effect: (half: boolean) => T): Promise<T>;
}

export interface LineOptions {
  readonly rules?: readonly FakeRule[];
  /** Mutating calls are appended here too, one JSON document per line, before they have an effect. */
  readonly journal?: string;
  /** How this process dies. */
  readonly die?: () => void;
  /** How many calls are kept in `calls`; a benchmark wants none. */
  readonly keep?: number;
}

/** Which methods change something: these carry a key, whatever else the caller's object has. */
const mutatingMethods: ReadonlySet<FakeMethod> = new Set([
  ...(['create', 'update', 'delete', 'replace', 'scale', 'bootstrap', 'revoke', 'setOwner', 'finalize', 'repair'] as const),
  ...(['state.configure', 'state.save', 'state.delete', 'state.lock', 'state.unlock'] as const),
]);
const pure: ReadonlySet<FakeMethod> = new Set(['diff', 'diffMany', 'validate']);

export function createLine(options: LineOptions): Line {
  const rules = (options.rules ?? []).map((rule) => ({ rule, seen: 0 }));
  const calls: FakeCall[] = [];
  const keep = options.keep ?? Infinity;
  const die = options.die ?? (() => void process.kill(process.pid, 'SIGKILL'));
  let isCut = false;

  function note(method: FakeMethod, subject: Subject, ask: Ask | Call): boolean {
    const mutating = mutatingMethods.has(method) && 'key' in ask;
    if (calls.length >= keep && options.journal === undefined) return mutating;
    const call: FakeCall = {
      method,
      ...subject,
      type: subject.type ?? '',
      name: subject.name ?? '',
      ...(mutating ? { key: ask.key, epoch: ask.epoch } : {}),
    };
    if (calls.length < keep) calls.push(call);
    if (options.journal !== undefined && mutating) appendFileSync(options.journal, `${JSON.stringify(call)}\n`);
    return mutating;
  }

  function pick(method: FakeMethod, subject: Subject, mutating: boolean): FakeFault | undefined {
    let chosen: FakeFault | undefined;
    for (const entry of rules) {
      const { on, type, name, calls: which = [1, Infinity], fault } = entry.rule;
      if (on !== method && on !== 'any' && !(on === 'mutating' && mutating)) continue;
      if ((type !== undefined && type !== subject.type) || (name !== undefined && name !== subject.name)) continue;
      entry.seen += 1;
      if (entry.seen >= which[0] && entry.seen <= which[1]) chosen ??= fault;
    }
    return chosen;
  }

  return {
    calls,
    add: (rule) => void rules.push({ rule, seen: 0 }),
    clear: () => void rules.splice(0),
    cut: (value) => void (isCut = value),
    async deliver(method, subject, ask, effect) {
      const mutating = note(method, subject, ask);
      const fault = pick(method, subject, mutating);
      ask.signal.throwIfAborted();
      if (isCut && !pure.has(method)) throw broken(method, 'provider/unreachable');
      if (fault === undefined) return effect(false);
      switch (fault.do) {
        case 'delay':
          await sleep(fault.ms, undefined, { signal: ask.signal }).catch(() => ask.signal.throwIfAborted());
          return effect(false);
        case 'refuse':
          throw new ErrandError(fault.code, fault.message ?? `asked the fake platform for ${method}; it refused`, {
            next: 'Nothing: a test wanted this.',
          });
        case 'lose-reply':
          effect(false);
          throw broken(method, fault.code ?? 'provider/unreachable');
        case 'hang':
          return aborted(ask.signal);
        case 'hang-after':
          effect(false);
          return aborted(ask.signal);
        case 'die':
          die();
          return aborted(ask.signal);
        case 'die-after':
          effect(false);
          die();
          return aborted(ask.signal);
        case 'half':
          effect(true);
          if (fault.die !== true) throw broken(method, fault.code ?? 'provider/failed');
          die();
          return aborted(ask.signal);
      }
    },
  };
}

function broken(method: FakeMethod, code: ErrorCode): ErrandError {
  return new ErrandError(code, `asked the fake platform for ${method}; it broke off before an answer came`);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
