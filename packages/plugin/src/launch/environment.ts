import { appVersion, cookie, variables } from '../handshake/cookie.ts';

/** What a plugin inherits. The rest of the host's environment may hold anything, tokens of other programs above all. */
const inherited = new Set(['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TMPDIR', 'NODE_COMPILE_CACHE']);

export interface PluginEnvironment {
  readonly host: Readonly<Record<string, string | undefined>>;
  /** Set for this plugin on purpose. */
  readonly own: Readonly<Record<string, string>>;
  readonly socketDirectory: string;
  readonly home: string;
  readonly dataDirectory?: string;
  readonly optionsFrom?: string;
  readonly wanted?: 'jobs';
  /** PEM; absent when the plugin shall serve plain text. */
  readonly clientCertificate?: string;
}

export function environmentOf(wanted: PluginEnvironment): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(wanted.host)) {
    if (value !== undefined && (inherited.has(name) || name.startsWith('LC_'))) environment[name] = value;
  }
  return {
    ...environment,
    ...wanted.own,
    [cookie.name]: cookie.value,
    [variables.versions]: String(appVersion),
    [variables.minPort]: '10000',
    [variables.maxPort]: '25000',
    [variables.socketDirectory]: wanted.socketDirectory,
    [variables.lifeline]: 'stdin',
    [variables.home]: wanted.home,
    ...(wanted.dataDirectory === undefined ? {} : { [variables.dataDirectory]: wanted.dataDirectory }),
    ...(wanted.optionsFrom === undefined ? {} : { [variables.optionsFrom]: wanted.optionsFrom }),
    ...(wanted.wanted === undefined ? {} : { [variables.wanted]: wanted.wanted }),
    ...(wanted.clientCertificate === undefined ? {} : { [variables.clientCertificate]: wanted.clientCertificate }),
  };
}
