import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { createCertificate } from './self-signed.ts';

test('Node reads back what was written', () => {
  const read = new X509Certificate(createCertificate(new Date('2045-06-01T12:00:00Z')).pem);
  expect(read.subject).toBe('CN=localhost');
  expect(read.subjectAltName).toBe('DNS:localhost');
  expect(read.ca).toBe(true);
  expect(read.verify(read.publicKey)).toBe(true);
  expect(read.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
  expect(read.validFromDate.toISOString()).toBe('2045-06-01T11:59:00.000Z');
  expect(read.validToDate.toISOString()).toBe('2055-06-01T12:00:00.000Z');
});

test('no two have the same number', () => {
  const serials = Array.from({ length: 50 }, () => new X509Certificate(createCertificate().der).serialNumber);
  expect(new Set(serials).size).toBe(50);
});

interface Shown {
  readonly server: ReturnType<typeof createCertificate>;
  readonly client: ReturnType<typeof createCertificate>;
  readonly serverTrusts: string;
  readonly clientTrusts: string;
}

/** Resolves with what the client heard, which in TLS 1.3 is the only proof that the server took its certificate. */
async function shake({ server, client, serverTrusts, clientTrusts }: Shown): Promise<string> {
  const listener = createServer({
    key: server.key,
    cert: server.pem,
    ca: serverTrusts,
    requestCert: true,
    rejectUnauthorized: true,
  });
  listener.on('secureConnection', (socket) => socket.end('hello'));
  listener.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  try {
    return await new Promise((resolve, reject) => {
      const socket = connect({
        port,
        host: '127.0.0.1',
        servername: 'localhost',
        key: client.key,
        cert: client.pem,
        ca: clientTrusts,
      });
      socket.once('error', reject).once('data', (data) => resolve(data.toString()));
      socket.once('close', () => reject(new Error('closed without a word')));
    });
  } finally {
    listener.close();
  }
}

test('two ends that know each other shake hands; a stranger on either side does not', async () => {
  const [server, client, stranger] = [createCertificate(), createCertificate(), createCertificate()];
  const right = { server, client, serverTrusts: client.pem, clientTrusts: server.pem };
  await expect(shake(right)).resolves.toBe('hello');
  await expect(shake({ ...right, client: stranger })).rejects.toThrow(/certificate|closed|alert|ECONNRESET/);
  await expect(shake({ ...right, server: stranger })).rejects.toThrow(/certificate|closed|alert|ECONNRESET/);
});

test('openssl takes it for a server and for a client', (context) => {
  const directory = mkdtempSync(join(tmpdir(), 'errand-certificate-'));
  const file = join(directory, 'certificate.pem');
  try {
    writeFileSync(file, createCertificate().pem);
    for (const purpose of ['sslserver', 'sslclient']) {
      const args = ['verify', '-x509_strict', '-check_ss_sig', '-purpose', purpose, '-CAfile', file, file];
      expect(execFileSync('openssl', args, { encoding: 'utf8' })).toContain('OK');
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || process.env['CI'] !== undefined) throw error;
    context.skip('openssl is not on the PATH');
  } finally {
    rmSync(directory, { recursive: true });
  }
});
