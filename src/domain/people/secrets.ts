import { hash, timingSafeEqual } from 'node:crypto';
import type { ServiceReadTransaction, StoredRecord } from '../../store/index.ts';

/** 256 bits cannot be guessed, so a plain SHA-256 is enough. */
export const secretBytes = 32;

/** A service record that is found by a secret, of which it stores only the SHA-256. */
export interface SecretRecord extends StoredRecord {
  readonly secret_sha256: string;
}

/** SHA-256 of a secret, in hex. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Returns whether two texts are equal, compared in constant time. */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}

const bucketCharacters = 8;

/** The index of records by a part of the digest; the rest is compared in constant time. */
export const secretIndex = {
  bucket: ({ secret_sha256: digest }: SecretRecord): string => digest.slice(0, bucketCharacters),
};

/** The record of a collection with this secret. */
export function recordWithSecret<T extends SecretRecord>(
  service: ServiceReadTransaction,
  collection: string,
  secret: string,
): T | undefined {
  const digest = digestOf(secret);
  const near = service.by<T>(collection, 'bucket', digest.slice(0, bucketCharacters));
  return near.find((record) => sameText(record.secret_sha256, digest));
}
