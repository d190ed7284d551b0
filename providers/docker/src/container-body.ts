import type { ContainerRequest, MountRequest } from './client.ts';

/** The body of the engine's "create a container". */
export function containerBody(request: ContainerRequest): unknown {
  return {
    Image: request.image,
    // The whole command goes into the entrypoint: then neither the image's own entrypoint nor its command takes part.
    Entrypoint: request.argv,
    Cmd: [],
    Env: request.env,
    Labels: request.labels,
    WorkingDir: request.workdir,
    User: request.user,
    Healthcheck: { Test: ['NONE'] },
    ...(request.listens ? { OpenStdin: true, AttachStdin: true, AttachStdout: true, AttachStderr: true } : {}),
    HostConfig: {
      Mounts: request.mounts.map(mountBody),
      NetworkMode: request.network,
      Init: request.init,
      RestartPolicy: { Name: 'no' },
      LogConfig: request.logging && { Type: request.logging.driver, Config: request.logging.options },
      Memory: request.memory,
      // The same number again: no swap on top of it.
      MemorySwap: request.memory,
      NanoCpus: request.cpus === undefined ? undefined : Math.round(request.cpus * 1e9),
      PidsLimit: request.pids,
      CapDrop: request.dropCapabilities,
      CapAdd: request.addCapabilities,
      SecurityOpt: request.noNewPrivileges ? ['no-new-privileges'] : undefined,
      ReadonlyRootfs: request.readOnlyRoot,
      Tmpfs: request.tmpfs,
    },
  };
}

function mountBody(mount: MountRequest): unknown {
  const common = { Type: mount.kind, Source: mount.source, Target: mount.target, ReadOnly: mount.readOnly };
  if (mount.kind === 'bind') return common;
  // What the image has in that directory is not part of a workspace.
  return { ...common, VolumeOptions: { NoCopy: true, Labels: mount.labels } };
}
