// A certificate for one process: ECDSA P-256, signed by itself, for `localhost`, good for both ends of TLS. Each end of a
// plugin connection makes one, shows it to the other, and takes nothing but the other's; Node can sign but not write one.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { bits, integer, objectId, octets, sequence, set, tagged, time, utf8, value, yes } from './der.ts';

export interface Certificate {
  readonly der: Buffer;
  /** The same as text. */
  readonly pem: string;
  /** The private key, as text; never leaves the process. */
  readonly key: string;
}

const ids = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  keyUsage: '2.5.29.15',
  alternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

/** The name that both ends of a plugin connection go by. */
export const certificateName = 'localhost';

const years = 10;

export function createCertificate(now = new Date()): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(objectId(ids.ecdsaWithSha256));
  const name = sequence(set(sequence(objectId(ids.commonName), utf8(certificateName))));
  const from = new Date(now.getTime() - 60_000);
  const until = new Date(now);
  until.setUTCFullYear(now.getUTCFullYear() + years);
  const body = sequence(
    tagged(0, true, integer(Buffer.from([2]))),
    integer(randomBytes(16)),
    algorithm,
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, true, extensions()),
  );
  const der = sequence(body, algorithm, bits(sign('sha256', body, privateKey)));
  return { der, pem: toPem(der), key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })) };
}

/** It signs itself, so it is an authority too; the bits are digitalSignature and keyCertSign. */
function extensions(): Buffer {
  return sequence(
    extension(ids.basicConstraints, true, sequence(yes())),
    extension(ids.keyUsage, true, bits(Buffer.from([0b1000_0100]), 2)),
    extension(ids.extendedKeyUsage, false, sequence(objectId(ids.serverAuth), objectId(ids.clientAuth))),
    extension(ids.alternativeName, false, sequence(value(0x82, Buffer.from(certificateName)))),
  );
}

function extension(id: string, critical: boolean, content: Uint8Array): Buffer {
  return sequence(objectId(id), ...(critical ? [yes()] : []), octets(content));
}

export function toPem(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
