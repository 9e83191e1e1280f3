import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { isIP } from 'node:net';

export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

const tags = { integer: 2, bitString: 3, octetString: 4, oid: 6, utf8: 12, sequence: 0x30, set: 0x31, utcTime: 0x17 };

/** A self-signed certificate for these host names and IPv4 addresses, in PEM. */
export function selfSigned(...hosts: readonly string[]): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // ecdsa-with-SHA256
  const algorithm = der(tags.sequence, der(tags.oid, Buffer.from('2a8648ce3d040302', 'hex')));
  // A name of its own: of several trusted certificates with one name, OpenSSL tries only the first.
  const commonName = der(
    tags.sequence,
    der(tags.oid, Buffer.from('550403', 'hex')),
    der(tags.utf8, Buffer.from(randomUUID())),
  );
  const name = der(tags.sequence, der(tags.set, commonName));
  const validity = der(
    tags.sequence,
    ...['200101000000Z', '491231235959Z'].map((at) => der(tags.utcTime, Buffer.from(at))),
  );
  const names = hosts.map((host) =>
    isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host)),
  );
  const subjectAltName = der(
    tags.sequence,
    der(tags.oid, Buffer.from('551d11', 'hex')),
    der(tags.octetString, der(tags.sequence, ...names)),
  );
  const body = der(
    tags.sequence,
    der(0xa0, der(tags.integer, Buffer.from([2]))),
    der(tags.integer, Buffer.from([1])),
    ...[algorithm, name, validity, name],
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(tags.sequence, subjectAltName)),
  );
  const signature = createSign('sha256').update(body).sign(privateKey);
  const certificate = der(tags.sequence, body, algorithm, der(tags.bitString, Buffer.from([0]), signature));
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

/** One value in DER: its tag, its length and its content. */
function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(content);
  const { length } = bytes;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), bytes]);
}
