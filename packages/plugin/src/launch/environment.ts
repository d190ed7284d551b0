/** What a program needs to find its way; everything else of ours may be a secret and is not for a plugin. */
const passed = ['PATH', 'HOME', 'USER', 'LANG', 'TZ', 'TMPDIR', 'SSL_CERT_FILE', 'SSL_CERT_DIR'];

export interface PluginEnvironment {
  /** Ours. */
  readonly from: Readonly<Record<string, string | undefined>>;
  /** Names that may be passed beside the usual ones. */
  readonly also: readonly string[];
  /** Where the plugin makes its socket; private to this user. */
  readonly sockets: string;
}

/** The cookie says that a plugin host is calling, not a person; it protects nothing. */
export function pluginEnvironment({ from, also, sockets }: PluginEnvironment): Record<string, string> {
  const kept = Object.entries(from).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (passed.includes(entry[0]) || entry[0].startsWith('LC_') || also.includes(entry[0])),
  );
  return {
    ...Object.fromEntries(kept),
    WORKFLOW_PLUGIN: 'workflow-external-plugin-v1',
    PLUGIN_PROTOCOL_VERSIONS: '1',
    PLUGIN_MIN_PORT: '10000',
    PLUGIN_MAX_PORT: '25000',
    PLUGIN_UNIX_SOCKET_DIR: sockets,
  };
}
