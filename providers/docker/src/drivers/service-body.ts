import type { HealthCheck, ServiceRequest } from './client.ts';

/** The body of the engine's "create a container" for one that stays. */
export function serviceBody(request: ServiceRequest): unknown {
  const bindings = request.ports.map(({ container, protocol, host }) => [
    `${container}/${protocol}`,
    [{ HostIp: request.publishOn, HostPort: host === undefined ? '' : String(host) }],
  ]);
  return {
    Image: request.image,
    ...(request.entrypoint === undefined ? {} : { Entrypoint: request.entrypoint, Cmd: [] }),
    ...(request.command === undefined ? {} : { Cmd: request.command }),
    Env: request.env,
    Labels: request.labels,
    ExposedPorts: Object.fromEntries(bindings.map(([port]) => [port, {}])),
    Healthcheck: request.health === undefined ? undefined : healthBody(request.health),
    HostConfig: {
      PortBindings: Object.fromEntries(bindings),
      NetworkMode: request.network ?? 'default',
      // A laptop is shut down now and then.
      RestartPolicy: { Name: 'unless-stopped' },
      Mounts: request.mounts.map(({ volume, target, readOnly, labels }) => ({
        Type: 'volume',
        Source: volume,
        Target: target,
        ReadOnly: readOnly,
        ...(labels === undefined ? {} : { VolumeOptions: { Labels: labels } }),
      })),
      Init: request.init,
      Memory: request.memory,
      NanoCpus: request.cpus === undefined ? undefined : Math.round(request.cpus * 1e9),
    },
    ...(request.network === undefined
      ? {}
      : { NetworkingConfig: { EndpointsConfig: { [request.network]: { Aliases: request.aliases } } } }),
  };
}

function healthBody(health: HealthCheck): unknown {
  const nanoseconds = (ms: number) => Math.round(ms * 1e6);
  return {
    Test: health.test,
    Interval: nanoseconds(health.interval),
    Timeout: nanoseconds(health.timeout),
    StartPeriod: nanoseconds(health.startPeriod),
    Retries: health.retries,
  };
}
