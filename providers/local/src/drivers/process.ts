import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrandError } from '@errand/contract';
import type { Attributes, Driver, Json, ResourceOutput, ResourceRef, ResourceSpec, SecretCall } from '@errand/contract';
import { z } from 'zod';
import { baseEnvironment } from '../environment.ts';
import { isAbsent } from '../files.ts';
import { membersOf, signalMembers } from '../members.ts';
import { isAlive } from '../processes.ts';
import type { Identity } from '../processes.ts';
import { comparedPath, diffOf, readConfig } from './config.ts';
import type { Compared } from './config.ts';
import { forgetClaim, forgetStaleClaim, identityIn, launch, logOf } from './launch.ts';
import { placeOf } from './paths.ts';
import { sha256 } from './records.ts';
import type { MadeRecord, ProcessRecord, Records } from './records.ts';

const type = 'local.process';
const defaultGrace = 10;
/** A command that cannot be run, or fails at once, does so within this time. */
const settling = 150;

export const processSchema = z.strictObject({
  command: z
    .union([z.string().min(1), z.array(z.string()).min(1)])
    .describe('A program and its arguments, or a script for /bin/sh. It stays until the resource is deleted.'),
  cwd: z.string().min(1).optional().describe('Relative to the file that declares it. Default: its directory.'),
  env: z.record(z.string(), z.string()).optional().describe('Values may be secret:// references.'),
  grace: z.number().min(0).optional().describe(`Seconds between asking it to end and ending it. Default: ${defaultGrace}.`),
});

export function processDriver(root: string, records: Records): Driver {
  const recordOf = ({ name, providerId }: ResourceRef) =>
    providerId === undefined ? records.find(type, root, name) : records.get(providerId);

  function read(ref: ResourceRef): ResourceOutput | undefined {
    const record = recordOf(ref);
    const identity = record?.type === type ? identityIn(records, record) : undefined;
    return record && identity ? outputOf(records, ref.name, record, identity) : undefined;
  }

  async function create(spec: ResourceSpec, call: SecretCall): Promise<ResourceOutput> {
    const id = `process-${sha256(call.key).slice(0, 16)}`;
    const wanted = wantedOf(root, spec);
    if (!records.get(id)) makeRoom(spec.name);
    const record = records.get(id) ?? {
      type,
      root,
      name: spec.name,
      key: call.key,
      id,
      status: 'making' as const,
      process: wanted,
    };
    const running = identityIn(records, record);
    const env = await environmentOf(wanted, call);
    if (!running) {
      records.put({ ...record, status: 'making', process: wanted });
      forgetStaleClaim(records, id);
    }
    const identity = running ?? (await launch(records, { ...record, process: wanted }, env, call.signal));
    await sleep(settling, undefined, { signal: call.signal }).catch(() => call.signal.throwIfAborted());
    if (!identity || !isAlive(identity)) throw failed(spec, id);
    const made: MadeRecord = { ...record, status: 'made', process: { ...wanted, ...identity } };
    records.put(made);
    return outputOf(records, spec.name, made, identity);
  }

  /** Another one of this name that runs is in the way; the record of one that ended is not. */
  function makeRoom(name: string): void {
    const other = records.find(type, root, name);
    if (!other) return;
    if (identityIn(records, other)) {
      throw new ErrandError('provider/conflict', `tried to start ${name}: ${other.id} runs under that name`, {
        next: 'Delete that one first, or choose another name.',
      });
    }
    forget(other.id);
  }

  function forget(id: string): void {
    forgetClaim(records, id);
    rmSync(logOf(records, id), { force: true });
    records.remove(id);
  }

  function failed(spec: ResourceSpec, id: string): ErrandError {
    const said = tailOf(logOf(records, id));
    forget(id);
    return new ErrandError('provider/failed', `started ${spec.name}: it ended at once${said === '' ? '' : `, saying: ${said}`}`, {
      next: 'See that the command exists and stays in the foreground.',
    });
  }

  return {
    oneName: true,
    configKeys: Object.keys(processSchema.shape),
    sensitiveKeys: ['env'],
    read: async (ref, ask) => (ask.signal.throwIfAborted(), read(ref)),
    diff: async (desired, { outputs }) => diffOf(compare(root, desired.config, outputs)),
    create: async (spec, call) => (call.signal.throwIfAborted(), create(spec, call)),
    update: async (ref, spec, call) => {
      call.signal.throwIfAborted();
      const record = recordOf(ref);
      const identity = record && identityIn(records, record);
      if (!identity) throw new ErrandError('provider/not-found', `tried to update the process ${ref.name}: it does not run`);
      const now = { ...record, process: { ...record.process, ...wantedOf(root, spec), ...identity } };
      records.put(now);
      return outputOf(records, spec.name, now, identity);
    },
    delete: async (ref, call) => {
      call.signal.throwIfAborted();
      const record = recordOf(ref);
      if (record?.type !== type) return;
      const main = identityIn(records, record);
      const marked = { mark: record.id, ...(main ? { main } : {}) };
      const gone = async (within: number) => {
        for (const end = performance.now() + within; membersOf(marked).length > 0;) {
          if (performance.now() >= end) return false;
          await sleep(20, undefined, { signal: call.signal }).catch(() => call.signal.throwIfAborted());
        }
        return true;
      };
      const grace = (record.process?.grace ?? defaultGrace) * 1_000;
      if (grace > 0) signalMembers(marked, 'ask');
      while (!(await gone(grace))) {
        signalMembers(marked, 'force');
        if (await gone(1_000)) break;
      }
      forget(record.id);
    },
    health: async (ref) => {
      const running = read(ref) !== undefined;
      return { healthy: running, message: running ? 'it runs' : 'it does not run' };
    },
    troubleshoot: async (ref) => {
      const record = recordOf(ref);
      if (!record) return [];
      const detail = tailOf(logOf(records, record.id));
      return [{ id: record.id, phase: read(ref) ? 'running' : 'ended', cause: 'the last it wrote', detail }];
    },
  };
}

function wantedOf(root: string, spec: ResourceSpec): ProcessRecord {
  const { command, cwd, env = {}, grace = defaultGrace } = readConfig(processSchema, spec);
  return { command: argvOf(command), cwd: cwdOf(root, cwd), env, grace };
}

const argvOf = (command: string | readonly string[]) => (typeof command === 'string' ? ['/bin/sh', '-c', command] : command);
const cwdOf = (root: string, cwd: string | undefined) => (cwd === undefined ? root : placeOf(root, cwd));

/** What this Errand may itself be a job of must not end a process that is to stay. */
async function environmentOf(wanted: ProcessRecord, call: SecretCall): Promise<Record<string, string>> {
  const { ERRAND_MARKS: _, ...env } = baseEnvironment(process.env);
  for (const [name, value] of Object.entries(wanted.env)) {
    env[name] = value.startsWith('secret://') ? await call.secret(value) : value;
  }
  return env;
}

/** A process cannot be given another command. Old values of variables are not told. */
function compare(root: string, config: Attributes, outputs: Attributes): Compared[] {
  const { command = [], cwd, env = {}, grace = defaultGrace } = config;
  const had = (outputs['env'] ?? {}) as Attributes;
  const wants = env as Attributes;
  const names = [...new Set([...Object.keys(had), ...Object.keys(wants)])].filter((name) => had[name] !== wants[name]);
  return [
    ['command', outputs['command'], typeof command === 'string' ? argvOf(command) : command, true],
    ['cwd', outputs['cwd'], comparedPath(root, cwd ?? root), true],
    ['grace', outputs['grace'], grace, false],
    // Both absent would look the same, so a variable that goes says that it was there.
    ...names.map((name): Compared => [`env.${name}`, name in wants ? undefined : '(set)', wants[name], true]),
  ];
}

function outputOf(records: Records, name: string, record: MadeRecord, { pid }: Identity): ResourceOutput {
  const { command = [], cwd = '', env = {}, grace = defaultGrace } = record.process ?? {};
  const outputs: Record<string, Json> = { id: record.id, pid, command, cwd, env, grace, log: logOf(records, record.id) };
  return { name, type, providerId: record.id, outputs, sensitive: ['env'], status: 'running' };
}

function tailOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(-2_000).trim();
  } catch (error) {
    if (isAbsent(error)) return '';
    throw error;
  }
}
