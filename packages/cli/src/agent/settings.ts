import { dirname, resolve } from 'node:path';
import { ErrandError } from '@errand/contract';
import { readSettings } from '@errand/core';
import type { TlsFiles } from './certificates.ts';
import { parseListen } from './listen.ts';
import type { Listen } from './listen.ts';
import { machineNames, machines, usualConcurrency } from './machine.ts';
import type { Machine, MachineName } from './machine.ts';
import type { Policy } from './policy.ts';
import type { AgentFile } from './schema.ts';

export interface AgentSettings {
  readonly listen: Listen;
  readonly tokens: string | undefined;
  /** Somebody said that no token is needed. */
  readonly open: boolean;
  readonly tls: TlsFiles | undefined;
  readonly machine: Machine;
  readonly policy: Policy;
  readonly secrets: { readonly directory: string; readonly allow: readonly string[] } | undefined;
}

/** As given on the command line; each wins over the file's. */
export interface AgentFlags {
  readonly config?: string | undefined;
  readonly listen?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly noToken?: boolean;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  readonly clientCa?: string | undefined;
  readonly use?: string | undefined;
}

export async function readAgentSettings(flags: AgentFlags, cwd: string): Promise<AgentSettings> {
  const { file, settings } = await fromFile(flags.config, cwd);
  const here = (path: string | undefined) => (path === undefined ? undefined : resolve(cwd, path));
  const there = (path: string | undefined) => (path === undefined ? undefined : resolve(dirname(file), path));
  const listen = flags.listen ?? settings.listen;
  if (listen === undefined) {
    throw new ErrandError('usage/invalid', 'errand agent was not told where to listen', {
      next: 'Give --listen HOST:PORT or --listen unix:/PATH, or name a file with --config.',
    });
  }
  if (flags.noToken && flags.tokenFile !== undefined) {
    throw new ErrandError('usage/invalid', '--token-file and --no-token contradict each other', { next: 'Give one of them.' });
  }
  const machine = machineOf(flags.use ?? settings.provider ?? 'local');
  const policy = policyOf(settings.policy, machine);
  const secrets = settings.secrets;
  return {
    listen: parseListen(listen),
    tokens: flags.noToken
      ? undefined
      : (here(flags.tokenFile) ?? (settings.tokens === false ? undefined : there(settings.tokens))),
    open: flags.noToken === true || (settings.tokens === false && flags.tokenFile === undefined),
    tls: tlsOf({
      cert: here(flags.tlsCert) ?? there(settings.tls?.cert),
      key: here(flags.tlsKey) ?? there(settings.tls?.key),
      clientCa: here(flags.clientCa) ?? there(settings.tls?.client_ca),
    }),
    machine,
    policy,
    secrets: secrets && { directory: resolve(dirname(file), secrets.directory), allow: secrets.allow },
  };
}

async function fromFile(path: string | undefined, cwd: string): Promise<{ readonly file: string; readonly settings: AgentFile }> {
  if (path === undefined) return { file: resolve(cwd, 'agent.yaml'), settings: {} };
  const { agentFile } = await import('./schema.ts');
  return readSettings(path, cwd, agentFile);
}

function machineOf(name: string): Machine {
  const known = machineNames.find((one) => one === name) satisfies MachineName | undefined;
  if (known) return machines[known];
  throw new ErrandError('usage/invalid', `an agent cannot stand on the provider ${JSON.stringify(name)}`, {
    next: `Use one of: ${machineNames.join(', ')}.`,
  });
}

function tlsOf(given: { cert: string | undefined; key: string | undefined; clientCa: string | undefined }): TlsFiles | undefined {
  const { cert, key, clientCa } = given;
  if (cert !== undefined && key !== undefined) return { cert, key, ...(clientCa !== undefined && { clientCa }) };
  if (cert === undefined && key === undefined && clientCa === undefined) return undefined;
  throw new ErrandError('usage/invalid', 'TLS needs both a certificate and its key', { next: 'Give --tls-cert and --tls-key.' });
}

/** A limit that the machine cannot keep is refused now, not ignored later. */
function policyOf(given: AgentFile['policy'], machine: Machine): Policy {
  const profiles = given?.profiles ?? machine.usual;
  const unknown = profiles.find((name) => !Object.hasOwn(machine.profiles, name));
  const { name } = machine.definition;
  if (unknown !== undefined) {
    throw new ErrandError('config/invalid', `policy.profiles: ${name} has no profile ${JSON.stringify(unknown)}`, {
      next: `Use some of: ${Object.keys(machine.profiles).join(', ')}.`,
    });
  }
  const limits = given?.limits ?? {};
  if (name === 'local' && limits.cpu !== undefined) {
    throw new ErrandError('config/invalid', 'policy.limits.cpu: local cannot limit CPU time', {
      next: 'Leave it out, or use docker.',
    });
  }
  if (name === 'local' && (given?.images || given?.networks || given?.mounts)) {
    throw new ErrandError('config/invalid', 'policy: local has neither images nor networks nor mounts', {
      next: 'Leave these keys out, or use docker.',
    });
  }
  return {
    ...(given?.images && { images: given.images }),
    profiles,
    networks: given?.networks ?? [],
    mounts: given?.mounts ?? [],
    concurrency: given?.concurrency ?? usualConcurrency,
    limits: {
      ...(limits.timeout !== undefined && { timeout: limits.timeout }),
      ...(limits.memory !== undefined && { memory: limits.memory }),
      ...(limits.cpu !== undefined && { cpu: limits.cpu }),
    },
  };
}
