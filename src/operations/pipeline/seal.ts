import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { randomToken } from '../../base/ids.ts';

const cipher = 'aes-256-gcm';
const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts a text so that only a caller with the secret can read it; the secret itself is not stored. */
export class Seal {
  readonly #key: Uint8Array;

  constructor(secret: string) {
    this.#key = new Uint8Array(hkdfSync('sha256', secret, '', 'planner sealed answer', keyBytes));
  }

  /** The text, sealed, as base64url. */
  close(text: string): string {
    const nonce = Buffer.from(randomToken(nonceBytes), 'base64url');
    const sealing = createCipheriv(cipher, this.#key, nonce);
    const sealed = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
    return Buffer.concat([nonce, sealing.getAuthTag(), sealed]).toString('base64url');
  }

  /** The text that was sealed. Throws if it was sealed with another secret. */
  open(sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64url');
    const opening = createDecipheriv(cipher, this.#key, bytes.subarray(0, nonceBytes));
    opening.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([opening.update(bytes.subarray(nonceBytes + tagBytes)), opening.final()]).toString('utf8');
  }
}
