import { hash, timingSafeEqual } from 'node:crypto';
import type { ServiceView, StoredRecord } from '../../store/index.ts';

/** 256 bits: nobody guesses them, so that a plain SHA-256 keeps them. */
export const secretBytes = 32;

/** A record of the service's that is known by a secret, of which it has the SHA-256 alone. */
export interface SecretBearer extends StoredRecord {
  readonly secret_sha256: string;
}

/** SHA-256 of a secret, in hex. */
export function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Whether two texts are equal, in a time that does not tell where they differ. */
export function sameText(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}

const bucketCharacters = 8;

/** The index by which records are found: a part of the digest, the rest of which is compared in constant time. */
export const secretIndex = {
  bucket: ({ secret_sha256: digest }: SecretBearer): string => digest.slice(0, bucketCharacters),
};

/** The record of a collection that is known by this secret. */
export function bearerOf<T extends SecretBearer>(
  service: ServiceView,
  collection: string,
  secret: string,
): T | undefined {
  const digest = digestOf(secret);
  const near = service.by<T>(collection, 'bucket', digest.slice(0, bucketCharacters));
  return near.find((record) => sameText(record.secret_sha256, digest));
}
