// The server's certificate, its key and the CA of the clients, read again when the files change: connections that come
// later see the new ones, and nothing is restarted.
import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { experimental } from '@grpc/grpc-js';
import type { ServerCredentials } from '@grpc/grpc-js';
import { ErrandError } from '@errand/contract';

export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
  /** Clients must show a certificate that this one has signed. */
  readonly clientCa?: string;
}

type Provider = Parameters<typeof experimental.createCertificateProviderServerCredentials>[0];
type CaListener = Parameters<Provider['addCaCertificateListener']>[0];
type IdentityListener = Parameters<Provider['addIdentityCertificateListener']>[0];

interface Material {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly clientCa: Buffer | undefined;
}

/** Throws when the files cannot be used now. A later change that cannot be used is passed over with a warning. */
export function watchCertificates(
  files: TlsFiles,
  options: { readonly every: number; readonly warn: (line: string) => void },
): { readonly credentials: ServerCredentials } & Disposable {
  let material = readMaterial(files);
  let seen = versionOf(files);
  const identities = new Set<IdentityListener>();
  const authorities = new Set<CaListener>();
  const tellIdentity = (listener: IdentityListener) => listener({ certificate: material.cert, privateKey: material.key });
  const tellAuthority = (listener: CaListener) => listener(material.clientCa ? { caCertificate: material.clientCa } : null);
  const provider: Provider = {
    addIdentityCertificateListener(listener) {
      identities.add(listener);
      // Not at once: the server registers the credentials' watchers only after this call.
      queueMicrotask(() => tellIdentity(listener));
    },
    removeIdentityCertificateListener: (listener) => void identities.delete(listener),
    addCaCertificateListener(listener) {
      authorities.add(listener);
      queueMicrotask(() => tellAuthority(listener));
    },
    removeCaCertificateListener: (listener) => void authorities.delete(listener),
  };
  const timer = setInterval(() => {
    const now = versionOf(files);
    if (now === seen) return;
    seen = now;
    try {
      material = readMaterial(files);
    } catch (error) {
      return options.warn(`the earlier certificate stays in use: ${(error as Error).message}`);
    }
    for (const listener of authorities) tellAuthority(listener);
    for (const listener of identities) tellIdentity(listener);
  }, options.every);
  timer.unref();
  const strict = files.clientCa !== undefined;
  return {
    credentials: experimental.createCertificateProviderServerCredentials(provider, strict ? provider : null, strict),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function readMaterial({ cert, key, clientCa }: TlsFiles): Material {
  const material = { cert: read(cert), key: read(key), clientCa: clientCa === undefined ? undefined : read(clientCa) };
  try {
    createSecureContext({ cert: material.cert, key: material.key, ...(material.clientCa && { ca: material.clientCa }) });
  } catch (error) {
    throw new ErrandError(
      'config/invalid',
      `cannot use the certificate ${cert} with the key ${key}: ${(error as Error).message}`,
      {
        next: 'Name a PEM certificate and the PEM key that belongs to it.',
        cause: error,
      },
    );
  }
  return material;
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ErrandError('config/unreadable', `cannot read ${file}: ${(error as Error).message}`, {
      next: 'Correct the path, or let the user of the agent read the file.',
      cause: error,
    });
  }
}

function versionOf(files: TlsFiles): string {
  const all = [files.cert, files.key, files.clientCa].filter((file) => file !== undefined);
  return all
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((info) => `${info?.ino} ${info?.mtimeMs} ${info?.size}`)
    .join();
}
