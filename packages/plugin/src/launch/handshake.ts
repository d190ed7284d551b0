// The line by which a go-plugin program says where it listens:
// core version | app version | network | address [| protocol [| server certificate [| multiplexing]]]
import { ErrandError } from '@errand/contract';

export interface Handshake {
  readonly network: 'unix' | 'tcp';
  /** A socket's path, or `host:port`. */
  readonly address: string;
  /** DER in base64; absent when the plugin speaks in the clear. */
  readonly certificate?: string;
}

const coreVersion = '1';
const appVersion = '1';
/** Shorter ones are no certificates; Go plugins leave the field empty or put a word there. */
const shortestCertificate = 50;

export function parseHandshake(line: string): Handshake {
  const [core, app, network, address = '', protocol = 'grpc', certificate = ''] = line.trim().split('|');
  if (address === '' || app === undefined) {
    throw problem(line, 'it is no handshake', 'Check that the executable is a plugin and prints nothing before it.');
  }
  if (core !== coreVersion) throw problem(line, `it speaks version ${JSON.stringify(core)} of the protocol, we speak 1`);
  if (app !== appVersion) throw problem(line, `it speaks version ${JSON.stringify(app)} of the contract, we speak 1`);
  if (protocol !== 'grpc') throw problem(line, `it speaks ${JSON.stringify(protocol)} instead of gRPC`);
  if (network !== 'unix' && network !== 'tcp') throw problem(line, `its network ${JSON.stringify(network)} is not known`);
  if (network === 'tcp' && !isLoopback(address))
    throw problem(line, 'it listens on an address that is not of this machine alone');
  if (network === 'unix' && !address.startsWith('/')) throw problem(line, 'its socket has no absolute path');
  if (address.includes('\0')) throw problem(line, 'its address is not plain text');
  return { network, address, ...(certificate.length > shortestCertificate && { certificate }) };
}

/** What a gRPC channel takes. */
export function channelAddress({ network, address }: Handshake): string {
  return network === 'unix' ? `unix:${address}` : address;
}

function isLoopback(address: string): boolean {
  const match = /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\]):(\d{1,5})$/.exec(address);
  const port = Number(match?.[1]);
  return port > 0 && port < 65_536;
}

function problem(line: string, what: string, next = 'Check the version of the plugin.'): ErrandError {
  const shown = JSON.stringify(line.length > 200 ? `${line.slice(0, 200)}…` : line);
  return new ErrandError('provider/failed', `launched a plugin; its first line was ${shown}: ${what}`, { next });
}
