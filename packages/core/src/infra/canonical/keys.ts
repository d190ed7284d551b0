/** The config keys that mean the same on every provider. Names are the public contract's. */
export const canonicalKeys = [
  'name',
  'region',
  'image',
  'http_port',
  'internal_ports',
  'protocol',
  'instance_count',
  'size',
  'env_vars',
  'env_vars_secret',
  'vpc_ref',
  'autoscaling',
  'routes',
  'cors',
  'domains',
  'health_check',
  'liveness_check',
  'ingress',
  'egress',
  'alerts',
  'log_destinations',
  'termination',
  'maintenance',
  'jobs',
  'workers',
  'static_sites',
  'sidecars',
  'build_command',
  'run_command',
  'dockerfile_path',
  'source_dir',
  'provider_specific',
] as const;

export type CanonicalKey = (typeof canonicalKeys)[number];

/** The type whose config is canonical throughout; others only borrow keys. */
export const canonicalType = 'infra.container_service';
