// The engine's API: paths, bodies and answers. Nothing else knows them.
import { parseAddress } from './address.ts';
import type { Container, ContainerRequest, Engine, EngineInfo, ListedContainer, Removal, Volume } from './client.ts';
import { bodyOf, createHttp, refusal } from './http.ts';
import type { HttpRequest, Reply } from './http.ts';
import { containerBody } from './container-body.ts';
import { field, list, milliseconds, number, record, text, texts } from './answers.ts';
import { connectionOf } from './connection.ts';
import { pullLines } from './pull-lines.ts';

export function openEngine(address: string): Engine {
  const http = createHttp(parseAddress(address));

  /** The answer's body for a status that was expected; 304 is "it is so already". */
  async function ask(request: HttpRequest): Promise<unknown> {
    const reply = await http.ask(request);
    if (reply.status >= 400) throw refusal(reply.status, reply.json);
    return reply.json;
  }

  const filters = (labels: Readonly<Record<string, string>>) =>
    JSON.stringify({ label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) });

  return {
    address,
    info: async (signal) => infoOf(await ask({ method: 'GET', path: '/info', signal })),
    hasNetwork: async (name, signal) => {
      const reply = await http.ask({ method: 'GET', path: `/networks/${encodeURIComponent(name)}`, signal });
      return found(reply) !== undefined;
    },

    createVolume: async (name, labels, signal) =>
      volumeOf(await ask({ method: 'POST', path: '/volumes/create', body: { Name: name, Labels: labels }, signal })),
    volumes: async (labels, signal) => {
      const answer = await ask({ method: 'GET', path: '/volumes', query: { filters: filters(labels) }, signal });
      return list(field(answer, 'Volumes')).map(volumeOf);
    },
    removeVolume: async (name, signal) =>
      removal(await http.ask({ method: 'DELETE', path: `/volumes/${encodeURIComponent(name)}`, signal })),

    createContainer: async (name, request, signal) => create(http.ask, name, request, signal),
    container: async (name, signal) => {
      const answer = found(await http.ask({ method: 'GET', path: `${of(name)}/json`, signal }));
      return answer === undefined ? undefined : containerOf(answer);
    },
    containers: async (labels, signal) => {
      const query = { all: 'true', filters: filters(labels) };
      return list(await ask({ method: 'GET', path: '/containers/json', query, signal })).map(listedOf);
    },
    startContainer: async (id, signal) => void (await ask({ method: 'POST', path: `${of(id)}/start`, signal })),
    waitForContainer: async (id, signal) => void (await ask({ method: 'POST', path: `${of(id)}/wait`, signal })),
    killContainer: async (id, how, signal) =>
      void (await ask({ method: 'POST', path: `${of(id)}/kill`, query: { signal: how }, signal })),
    unpauseContainer: async (id, signal) => void (await ask({ method: 'POST', path: `${of(id)}/unpause`, signal })),
    // `v` takes the nameless volumes along that an image may ask for; ours have names.
    removeContainer: async (id, force, signal) =>
      removal(await http.ask({ method: 'DELETE', path: of(id), query: { v: 'true', force: String(force) }, signal })),

    attach: async (id, signal) => {
      const query = { stream: 'true', stdin: 'true', stdout: 'true' };
      return connectionOf(await http.upgrade({ method: 'POST', path: `${of(id)}/attach`, query, signal }));
    },
    execute: async (id, argv, signal) => {
      const body = { Cmd: argv, AttachStdin: true, AttachStdout: true };
      const made = await ask({ method: 'POST', path: `${of(id)}/exec`, body, signal });
      const path = `/exec/${encodeURIComponent(text(field(made, 'Id')))}/start`;
      return connectionOf(await http.upgrade({ method: 'POST', path, body: { Detach: false, Tty: false }, signal }));
    },

    async *logs(id, request, signal) {
      const query = {
        timestamps: 'true',
        follow: String(request.follow),
        stdout: String(request.stdout),
        stderr: String(request.stderr),
        ...(request.since === undefined ? {} : { since: request.since }),
      };
      yield* bodyOf(await http.open({ method: 'GET', path: `${of(id)}/logs`, query, signal }), signal);
    },
    putArchive: async (id, path, stream, signal) =>
      void (await ask({ method: 'PUT', path: `${of(id)}/archive`, query: { path }, stream, signal })),
    getArchive: async (id, path, signal) => {
      try {
        return bodyOf(await http.open({ method: 'GET', path: `${of(id)}/archive`, query: { path }, signal }), signal);
      } catch (error) {
        if (isAbsent(error)) return undefined;
        throw error;
      }
    },

    hasPath: async (id, path, signal) => {
      const reply = await http.ask({ method: 'HEAD', path: `${of(id)}/archive`, query: { path }, signal });
      return found(reply) !== undefined || reply.status < 300;
    },

    image: async (name, signal) => {
      const answer = found(await http.ask({ method: 'GET', path: `/images/${escaped(name)}/json`, signal }));
      return answer === undefined ? undefined : { user: text(field(field(answer, 'Config'), 'User')) };
    },
    async *pull(name, credentials, signal) {
      const request: HttpRequest = { method: 'POST', path: '/images/create', query: { fromImage: name }, signal };
      const headers = credentials === undefined ? {} : { headers: { 'x-registry-auth': credentials } };
      yield* pullLines(bodyOf(await http.open({ ...request, ...headers }), signal));
    },
    distribution: async (name, credentials, signal) => {
      const headers = credentials === undefined ? {} : { headers: { 'x-registry-auth': credentials } };
      await ask({ method: 'GET', path: `/distribution/${escaped(name)}/json`, ...headers, signal });
    },
    close: http.close,
  };
}

async function create(
  ask: (request: HttpRequest) => Promise<Reply>,
  name: string,
  request: ContainerRequest,
  signal: AbortSignal,
) {
  const reply = await ask({
    method: 'POST',
    path: '/containers/create',
    query: { name },
    body: containerBody(request),
    signal,
  });
  if (reply.status === 409) return 'taken' as const;
  if (reply.status === 404) return 'no-image' as const;
  // Podman has no status of its own for a name that was taken a moment ago.
  if (reply.status === 500 && (await ask({ method: 'GET', path: `${of(name)}/json`, signal })).status === 200)
    return 'taken' as const;
  if (reply.status >= 400) throw refusal(reply.status, reply.json);
  return { id: text(field(reply.json, 'Id')) };
}

const of = (id: string) => `/containers/${encodeURIComponent(id)}`;

/** The slashes of an image's name are part of the path. */
const escaped = (name: string) => name.split('/').map(encodeURIComponent).join('/');

/** Undefined for 404: the thing is not there. */
function found(reply: Reply): unknown {
  if (reply.status === 404) return undefined;
  if (reply.status >= 400) throw refusal(reply.status, reply.json);
  return reply.json;
}

function removal(reply: Reply): Removal {
  if (reply.status < 300) return 'removed';
  if (reply.status === 404) return 'absent';
  if (reply.status === 409) return 'busy';
  throw refusal(reply.status, reply.json);
}

const isAbsent = (error: unknown) => error instanceof Error && 'status' in error && error.status === 404;

function volumeOf(answer: unknown): Volume {
  return { name: text(field(answer, 'Name')), labels: texts(field(answer, 'Labels')) };
}

function listedOf(answer: unknown): ListedContainer {
  return {
    id: text(field(answer, 'Id')),
    labels: texts(field(answer, 'Labels')),
    status: text(field(answer, 'State')),
  };
}

function containerOf(answer: unknown): Container {
  const state = record(field(answer, 'State'));
  const startedAt = milliseconds(state['StartedAt']);
  const finishedAt = milliseconds(state['FinishedAt']);
  return {
    id: text(field(answer, 'Id')),
    labels: texts(field(field(answer, 'Config'), 'Labels')),
    status: text(state['Status']),
    exitCode: number(state['ExitCode']),
    oomKilled: state['OOMKilled'] === true,
    error: text(state['Error']),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
  };
}

function infoOf(answer: unknown): EngineInfo {
  const info = record(answer);
  return {
    os: text(info['OSType']),
    cpus: number(info['NCPU']),
    limitsMemory: info['MemoryLimit'] === true,
    limitsCpu: info['CpuCfsQuota'] === true,
    limitsPids: info['PidsLimit'] === true,
    // An engine that did not find its init says so here; one that has no notion of it leaves the name empty.
    hasInit: text(info['InitBinary']) !== '' && text(field(info['InitCommit'], 'ID')) !== 'N/A',
    logDrivers: list(field(info['Plugins'], 'Log')).map(text),
    machine: text(info['Architecture']),
  };
}
