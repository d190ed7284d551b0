// The part of the engine's API that only resources use.
import { parseAddress } from '../address.ts';
import { field, list, milliseconds, number, record, text, texts } from '../answers.ts';
import type { EngineInfo, Removal } from '../client.ts';
import { createHttp, refusal } from '../http.ts';
import type { HttpRequest } from '../http.ts';
import { openEngine } from '../sdk.ts';
import type { Network, Published, ResourceEngine, ServiceContainer } from './client.ts';
import { serviceBody } from './service-body.ts';

export function openResourceEngine(address: string): ResourceEngine {
  const engine = openEngine(address);
  const http = createHttp(parseAddress(address));

  async function ask(request: HttpRequest, ...fine: number[]): Promise<{ readonly status: number; readonly json: unknown }> {
    const reply = await http.ask(request);
    if (reply.status >= 400 && !fine.includes(reply.status)) throw refusal(reply.status, reply.json);
    return reply;
  }
  let known: Promise<EngineInfo> | undefined;
  const filters = (labels: Readonly<Record<string, string>>) =>
    JSON.stringify({ label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) });

  return {
    ...engine,
    /** Asked once: what an engine can do does not change while it is open. */
    info: (signal) =>
      (known ??= engine.info(signal).catch((error: unknown) => {
        known = undefined;
        throw error;
      })),
    createNetwork: async (name, { labels, subnet, internal }, signal) => {
      const body = {
        Name: name,
        Driver: 'bridge',
        CheckDuplicate: true,
        Internal: internal,
        Labels: labels,
        ...(subnet === undefined ? {} : { IPAM: { Config: [{ Subnet: subnet }] } }),
      };
      const { status } = await ask({ method: 'POST', path: '/networks/create', body, signal }, 409);
      return status === 409 ? 'taken' : 'made';
    },
    network: async (name, signal) => {
      const { status, json } = await ask({ method: 'GET', path: `/networks/${encodeURIComponent(name)}`, signal }, 404);
      return status === 404 ? undefined : networkOf(json);
    },
    networks: async (labels, signal) => {
      const { json } = await ask({ method: 'GET', path: '/networks', query: { filters: filters(labels) }, signal });
      return list(json).map(networkOf);
    },
    removeNetwork: async (id, signal): Promise<Removal> => {
      // 403: something is connected to it. 409 is Podman's word for that.
      const { status } = await ask({ method: 'DELETE', path: `/networks/${encodeURIComponent(id)}`, signal }, 403, 404, 409);
      return status < 300 ? 'removed' : status === 404 ? 'absent' : 'busy';
    },
    volume: async (name, signal) => {
      const { status, json } = await ask({ method: 'GET', path: `/volumes/${encodeURIComponent(name)}`, signal }, 404);
      return status === 404 ? undefined : { name: text(field(json, 'Name')), labels: texts(field(json, 'Labels')) };
    },
    createService: async (name, request, signal) => {
      const body = serviceBody(request);
      const reply = await ask({ method: 'POST', path: '/containers/create', query: { name }, body, signal }, 404, 409);
      if (reply.status === 409) return 'taken';
      if (reply.status === 404) return 'no-image';
      return { id: text(field(reply.json, 'Id')) };
    },
    service: async (name, signal) => {
      const { status, json } = await ask({ method: 'GET', path: `/containers/${encodeURIComponent(name)}/json`, signal }, 404);
      return status === 404 ? undefined : serviceOf(json);
    },
    rename: async (id, name, signal) =>
      void (await ask({ method: 'POST', path: `/containers/${encodeURIComponent(id)}/rename`, query: { name }, signal })),
    stop: async (id, seconds, signal) => {
      const query = { t: String(Math.max(0, Math.round(seconds))) };
      await ask({ method: 'POST', path: `/containers/${encodeURIComponent(id)}/stop`, query, signal }, 304, 404);
    },
    close: () => {
      engine.close();
      http.close();
    },
  };
}

function networkOf(answer: unknown): Network {
  const config = list(field(field(answer, 'IPAM'), 'Config'))[0];
  return {
    id: text(field(answer, 'Id')),
    name: text(field(answer, 'Name')),
    labels: texts(field(answer, 'Labels')),
    subnet: text(field(config, 'Subnet')),
    gateway: text(field(config, 'Gateway')),
  };
}

function serviceOf(answer: unknown): ServiceContainer {
  const state = record(field(answer, 'State'));
  const health = record(state['Health']);
  return {
    id: text(field(answer, 'Id')),
    name: text(field(answer, 'Name')).replace(/^\//, ''),
    labels: texts(field(field(answer, 'Config'), 'Labels')),
    status: text(state['Status']),
    health: text(health['Status']) || 'none',
    healthSaid: text(field(list(health['Log']).at(-1), 'Output')).trim(),
    exitCode: number(state['ExitCode']),
    error: text(state['Error']),
    restarts: number(field(answer, 'RestartCount')),
    startedAt: milliseconds(state['StartedAt']) ?? 0,
    ports: portsOf(field(field(answer, 'HostConfig'), 'PortBindings')),
  };
}

/** As they were asked for, so that a container which does not run keeps its ports. */
function portsOf(bindings: unknown): Published[] {
  return Object.entries(record(bindings)).map(([name, bound]) => {
    const [port, protocol] = name.split('/');
    const host = Number(text(field(list(bound)[0], 'HostPort')));
    return { container: Number(port), protocol: protocol === 'udp' ? 'udp' : 'tcp', ...(host > 0 ? { host } : {}) };
  });
}
