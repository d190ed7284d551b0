// The first line that a plugin prints:
//   core version | app version | network | address | protocol | server certificate | multiplexing
// Four fields must be there. The certificate is base64 of DER without padding; it is absent when the plugin serves plain text.
import { isIPv4 } from 'node:net';
import { appVersion, coreVersion } from './cookie.ts';

export type Endpoint =
  | { readonly network: 'unix'; readonly path: string }
  | { readonly network: 'tcp'; readonly host: string; readonly port: number };

export interface Handshake {
  readonly endpoint: Endpoint;
  /** DER of the certificate that the plugin will show; absent when it serves plain text. */
  readonly certificate?: Buffer;
  readonly multiplexes: boolean;
}

/** A string says why the line was refused. */
export type Parsed = Handshake | string;

/** A P-521 certificate takes about 700 characters; a line beyond this is no handshake. */
export const longestLine = 16 * 1024;

/** Pure: the same line gives the same answer, and no line makes it throw. */
export function parseHandshake(line: string): Parsed {
  if (line.length > longestLine) return `its first line is longer than ${longestLine} characters`;
  const fields = line.replace(/\r$/, '').split('|');
  if (fields.length < 4) return `its first line is no handshake: ${quote(line)}`;
  const [core = '', app = '', network = '', address = '', protocol = 'grpc', certificate = '', multiplex = ''] = fields;
  if (core !== String(coreVersion)) return `it speaks version ${quote(core)} of the handshake; we speak ${coreVersion}`;
  if (app !== String(appVersion)) return `it speaks version ${quote(app)} of the provider contract; we speak ${appVersion}`;
  if (protocol !== 'grpc') return `it speaks ${quote(protocol)}; we speak grpc`;
  const endpoint = endpointOf(network, address);
  if (typeof endpoint === 'string') return endpoint;
  const der = certificate === '' ? undefined : decodeCertificate(certificate);
  if (certificate !== '' && der === undefined) return 'the certificate in its handshake is not base64';
  return { endpoint, multiplexes: multiplex === 'true', ...(der === undefined ? {} : { certificate: der }) };
}

export function formatHandshake(handshake: Handshake): string {
  const { endpoint, certificate } = handshake;
  const address = endpoint.network === 'unix' ? endpoint.path : joinHost(endpoint);
  const encoded = certificate === undefined ? '' : certificate.toString('base64').replace(/=+$/, '');
  return [coreVersion, appVersion, endpoint.network, address, 'grpc', encoded, String(handshake.multiplexes)].join('|');
}

/** Only this machine: a plugin that names another one would get our calls, with what is secret in them, sent there. */
function endpointOf(network: string, address: string): Endpoint | string {
  if (network === 'unix') {
    if (address.startsWith('/') && !address.includes('\0')) return { network, path: address };
    return `its socket ${quote(address)} is not an absolute path`;
  }
  if (network !== 'tcp') return `it listens on the network ${quote(network)}; we know unix and tcp`;
  const match = /^(?:\[(?<six>[0-9a-f:]+)\]|(?<four>[0-9.]+)):(?<port>[0-9]{1,5})$/i.exec(address);
  const host = match?.groups?.['six'] ?? match?.groups?.['four'];
  const port = Number(match?.groups?.['port']);
  if (host === undefined || port < 1 || port > 65_535) return `its address ${quote(address)} is not an IP address and a port`;
  if (host === '::1' || (isIPv4(host) && host.startsWith('127.'))) return { network, host, port };
  return `it listens on ${quote(address)}, which is not an address of this machine alone`;
}

export function joinHost({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function decodeCertificate(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** Short and printable, whatever the plugin sent. */
function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}
