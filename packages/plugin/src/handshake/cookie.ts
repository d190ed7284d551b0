// What a host and a plugin agree on before they speak: the public contract's values, so that Go programs on either side fit.

export const cookie = { name: 'WORKFLOW_PLUGIN', value: 'workflow-external-plugin-v1' } as const;

/** Version of the handshake line and the transport services. */
export const coreVersion = 1;

/** Version of the services that are offered behind them. */
export const appVersion = 1;

/** Names of the variables that a host sets for a plugin. Those with our name are ours; a Go plugin takes no notice of them. */
export const variables = {
  minPort: 'PLUGIN_MIN_PORT',
  maxPort: 'PLUGIN_MAX_PORT',
  versions: 'PLUGIN_PROTOCOL_VERSIONS',
  clientCertificate: 'PLUGIN_CLIENT_CERT',
  socketDirectory: 'PLUGIN_UNIX_SOCKET_DIR',
  /** `stdin`: the host holds the other end of stdin, so its end of file means that the host is gone. */
  lifeline: 'ERRAND_PLUGIN_LIFELINE',
  home: 'ERRAND_PLUGIN_HOME',
  /** `jobs`: nobody will ask for resources, so a provider that runs jobs need not offer any. */
  wanted: 'ERRAND_PLUGIN_WANTED',
  /** Options come as they were written, and relative paths in them are meant from here. */
  optionsFrom: 'ERRAND_PLUGIN_OPTIONS_FROM',
  dataDirectory: 'ERRAND_PLUGIN_DATA_DIRECTORY',
} as const;
