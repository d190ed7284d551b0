import { ErrandError } from '@errand/contract';
import type { Command } from '@errand/contract';
import { resolve } from 'node:path';
import { nearest } from '../base/distance.ts';
import { parseDuration } from '../base/duration.ts';
import type { Config, Environment } from '../config/types.ts';
import type { Lease } from '../model/lease.ts';
import type { RunSpec } from '../model/run.ts';
import type { Setup } from '../model/setup.ts';
import type { RunRequest } from './sdk.ts';

/** The request and its environment as one spec that needs neither of them any more. */
export function toSpec(request: RunRequest, environment: Environment, cwd: string, more: SpecParts = {}): RunSpec {
  const { lease } = more;
  if (lease && request.reuseLabel !== undefined) {
    throw invalid('a lease was named, so no place is looked for by a reuse label', 'Give one of them.');
  }
  const time = (value: string | number | undefined, name: string, otherwise: number | undefined) =>
    value === undefined ? otherwise : positive(parseDuration(value, name), name);
  const timeout = time(request.timeout, 'timeout', environment.timeout);
  const pendingTimeout = time(request.pendingTimeout, 'pending timeout', environment.pendingTimeout);
  const image = request.image ?? environment.image;
  const own = { env: checkNames(request.env ?? {}), secrets: checkNames(request.secrets ?? {}) };
  const twice = Object.keys(own.env).find((name) => name in own.secrets);
  if (twice !== undefined) throw invalid(`${twice} is given both as a value and as a secret`, 'Give it once.');
  const collect = request.collect ?? [];
  if (collect.length > 0 && request.out === undefined) {
    throw invalid('files are to be collected, but not where to', 'Name a directory for them with --out.');
  }
  if (request.syncBack && request.workspace === undefined) {
    throw invalid('changes are to be synced back, but there is no workspace', 'Name the directory with --workspace.');
  }
  return {
    environment: environment.name,
    provider: environment.provider,
    options: environment.options,
    command: toCommand(request),
    // What is nearer to the command wins, also over an entry of the other kind.
    env: { ...without(environment.env, own.secrets), ...own.env },
    secretEnv: { ...without(environment.secretEnv, own.env), ...own.secrets },
    resources: environment.resources,
    grace: request.grace === undefined ? environment.grace : parseDuration(request.grace, 'grace'),
    ttl: environment.lease.ttl,
    labels: { ...environment.labels, ...request.labels },
    collect,
    ...(image !== undefined && { image }),
    ...(timeout !== undefined && { timeout }),
    ...(pendingTimeout !== undefined && { pendingTimeout }),
    ...(lease ? { lease: lease.id } : setupOf(environment, more.source, request.reuseLabel)),
    ...(request.workspace !== undefined && { workspace: resolve(cwd, request.workspace) }),
    ...(request.out !== undefined && { out: resolve(cwd, request.out) }),
    ...(request.syncBack && { syncBack: true as const }),
  };
}

export interface SpecParts {
  /** The standing lease to run in. */
  readonly lease?: Lease;
  /** The config file that the environment is written in. */
  readonly source?: string | undefined;
}

/** Nothing for a plain environment: its runs need no more than they always did. */
export function setupOf(environment: Environment, source?: string, reuseLabel?: string): { readonly setup?: Setup } {
  const { lease, warm = 0, provision = [] } = environment;
  if (reuseLabel !== undefined && lease.policy !== 'reuse') {
    throw invalid(
      `a reuse label was given, but places of '${environment.name}' are not reused (its policy is ${lease.policy})`,
      'Leave the label out, or give the environment lease: { policy: reuse }.',
    );
  }
  if (lease.policy === 'fresh' && warm === 0 && provision.length === 0) return {};
  return { setup: fullSetup(environment, source, reuseLabel) };
}

export function fullSetup(environment: Environment, source?: string, reuseLabel?: string): Setup {
  const { lease, warm = 0, provision = [], image, env, secretEnv } = environment;
  return {
    policy: lease.policy,
    provision,
    warm,
    env,
    secretEnv,
    ...(image !== undefined && { image }),
    ...(reuseLabel !== undefined && { reuseLabel }),
    ...(source !== undefined && { source }),
  };
}

export function environmentOf(config: Config, name: string): Environment {
  const found = config.environments.get(name);
  if (found) return found;
  const names = [...config.environments.keys()];
  const close = nearest(name, names);
  throw new ErrandError('environment/unknown', `there is no environment '${name}'${close ? `; did you mean '${close}'?` : ''}`, {
    next: `Use one of: ${names.join(', ')}${config.file ? `, or add it to ${config.file}` : ', or write an errand.yaml with: errand init'}.`,
  });
}

/** A standing lease keeps the place it was made for, also when the environment was edited or removed since. */
export function environmentOfLease(config: Config, lease: Lease): Environment {
  const { environment: name, provider, options, resources, labels, ttl, image } = lease.spec;
  const now = config.environments.get(name);
  return {
    name,
    provider,
    options,
    resources,
    labels,
    env: now?.env ?? {},
    secretEnv: now?.secretEnv ?? {},
    lease: { policy: 'fresh', ttl },
    grace: now?.grace ?? 10_000,
    ...(image !== undefined && { image }),
    ...(now?.timeout !== undefined && { timeout: now.timeout }),
    ...(now?.pendingTimeout !== undefined && { pendingTimeout: now.pendingTimeout }),
  };
}

function toCommand(request: RunRequest): Command {
  const { command, script } = request;
  if ((command === undefined) === (script === undefined)) {
    throw invalid(
      'exactly one of a command and a script is needed',
      "Put the command after `--`, or give a script with --script 'TEXT'.",
    );
  }
  if (script !== undefined) return { script: plain(script, 'the script') };
  if (!command?.[0]) throw invalid('the command is empty', 'Put the command after `--`, for instance: errand run -- echo hello');
  return { argv: command.map((argument) => plain(argument, 'an argument')) };
}

function checkNames(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(values)) {
    if (name === '' || /[=\0]/.test(name)) {
      throw invalid(
        `${JSON.stringify(name)} cannot be the name of an environment variable`,
        'Use letters, digits and underscores.',
      );
    }
    plain(value, `the value of ${name}`);
  }
  return values;
}

function plain(text: string, what: string): string {
  if (text.includes('\0'))
    throw invalid(`${what} contains a NUL character, which no process can receive`, 'Pass such data in a file.');
  return text;
}

function positive(ms: number, name: string): number {
  if (ms > 0) return ms;
  throw invalid(`the ${name} must be longer than 0`, 'Leave it out for no limit.');
}

function without(from: Readonly<Record<string, string>>, names: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(from).filter(([name]) => !(name in names)));
}

function invalid(message: string, next: string): ErrandError {
  return new ErrandError('usage/invalid', message, { next });
}
