import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from '@aws-sdk/client-s3';
import { randomToken } from '../../ids.ts';
import { type Bucket, LostObjectError } from './bucket.ts';
import type { BucketAddress } from './bucket-url.ts';
import {
  describeFailure,
  isMissing,
  isOfBucket,
  nameOf,
  statusOf,
  unavailableBucket,
  unsuitableBucket,
} from './s3-errors.ts';

export interface S3Timeouts {
  /** To connect. */
  readonly connectMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
  /** For one request. */
  readonly requestMs: number;
}

export interface S3BucketOptions {
  /** Called with the reason when a request fails for good. */
  readonly report?: (message: string) => void;
  /** Default: `s3Timeouts`. */
  readonly timeouts?: S3Timeouts;
}

export const s3Timeouts: S3Timeouts = { connectMs: 3_000, idleMs: 10_000, requestMs: 60_000 };

/** Requests, the first one included; the pauses between them grow. */
const attemptsMax = 4;
/** What AWS redirects to the region of a bucket from, and what other stores seldom look at. */
const regionDefault = 'us-east-1';

/**
 * A bucket of AWS or of another store with its interface. Credentials are those that the SDK of AWS finds: variables,
 * the user's profile, or the role of the machine or container. The SDK retries what may be transient.
 */
export class S3Bucket implements Bucket {
  readonly name: string;
  readonly #client: S3Client;
  readonly #address: BucketAddress;
  readonly #report: (message: string) => void;
  /** Until the store says that it does not know `If-None-Match`. */
  #isConditional = true;
  #isClosed = false;

  /** Makes no request. */
  static async open(
    address: BucketAddress,
    { report = () => undefined, timeouts = s3Timeouts }: S3BucketOptions = {},
  ): Promise<S3Bucket> {
    const client = new S3Client(configOf(address, timeouts));
    try {
      await client.config.region();
      return new S3Bucket(client, address, report);
    } catch {
      // Neither the URL nor the environment names a region.
      client.destroy();
      return new S3Bucket(new S3Client(configOf({ ...address, region: regionDefault }, timeouts)), address, report);
    }
  }

  private constructor(client: S3Client, address: BucketAddress, report: (message: string) => void) {
    this.#client = client;
    this.#address = address;
    this.#report = report;
    const { bucket, prefix } = address;
    this.name = `s3://${bucket}${prefix === '' ? '' : `/${prefix.slice(0, -1)}`}`;
  }

  async check(): Promise<void> {
    const object = `check.${randomToken(9)}`;
    const bytes = Buffer.from(object);
    try {
      await this.#put(object, { bytes });
      const found = await this.#get(object, { start: 0, end: bytes.length });
      if (!bytes.equals(found)) throw new LostObjectError(`${this.name} returns other bytes than were stored.`);
      await this.#remove(object);
      // It is refused instead, to those who may not list objects: a lost one could not be distinguished from a refused one then.
      if (await this.#exists(object, bytes.length)) throw new LostObjectError(`${this.name} keeps what was removed.`);
    } catch (error) {
      throw unsuitableBucket(error, this.name, this.#address.endpoint);
    }
  }

  async put(object: string, content: { readonly bytes: Uint8Array; readonly sha256: Uint8Array }): Promise<void> {
    await this.#answering(() => this.#put(object, content));
  }

  async get(object: string, range: { readonly start: number; readonly end: number }): Promise<Uint8Array> {
    return this.#answering(async () => {
      try {
        return await this.#get(object, range);
      } catch (error) {
        if (!isMissing(error)) throw error;
        throw new LostObjectError(`There is no object ${object} in ${this.name}, or it is shorter than it was.`);
      }
    });
  }

  async has(object: string, size: number): Promise<boolean> {
    return this.#answering(() => this.#exists(object, size));
  }

  async remove(object: string): Promise<void> {
    await this.#answering(() => this.#remove(object));
  }

  close(): void {
    this.#isClosed = true;
    this.#client.destroy();
  }

  async #put(
    object: string,
    { bytes, sha256 }: { readonly bytes: Uint8Array; readonly sha256?: Uint8Array },
  ): Promise<void> {
    const content = {
      ...this.#key(object),
      Body: bytes,
      // The store compares it with what arrived.
      ...(sha256 && { ChecksumSHA256: Buffer.from(sha256).toString('base64') }),
    };
    // Requests at the same time find out one by one that the store knows no condition.
    const isConditional = this.#isConditional;
    const condition = isConditional ? { IfNoneMatch: '*' } : {};
    try {
      await this.#client.send(new PutObjectCommand({ ...content, ...condition }));
    } catch (error) {
      // The name is used once: an earlier attempt, whose response was lost, has stored it.
      if (statusOf(error) === 412 && (await this.#exists(object, bytes.length))) return;
      if (nameOf(error) !== 'NotImplemented' || !isConditional) throw error;
      this.#isConditional = false;
      await this.#client.send(new PutObjectCommand(content));
    }
  }

  async #get(object: string, { start, end }: { readonly start: number; readonly end: number }): Promise<Uint8Array> {
    for (let attempt = 1; ; attempt++) {
      const { Body: body } = await this.#client.send(
        new GetObjectCommand({ ...this.#key(object), Range: `bytes=${start}-${end - 1}` }),
      );
      try {
        return await body!.transformToByteArray();
      } catch (error) {
        // The SDK retries requests, not the transfer of their responses.
        if (attempt === attemptsMax) throw error;
      }
    }
  }

  async #exists(object: string, size: number): Promise<boolean> {
    try {
      const { ContentLength: length } = await this.#client.send(new HeadObjectCommand(this.#key(object)));
      return length === size;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async #remove(object: string): Promise<void> {
    try {
      await this.#client.send(new DeleteObjectCommand(this.#key(object)));
    } catch (error) {
      // Some stores report that it did not exist.
      if (!isMissing(error) || isOfBucket(error)) throw error;
    }
  }

  async #answering<T>(request: () => Promise<T>): Promise<T> {
    // The client would connect again.
    if (this.#isClosed) throw unavailableBucket(new Error('The node is ending.'));
    try {
      return await request();
    } catch (error) {
      if (error instanceof LostObjectError) throw error;
      this.#report(`The bucket of files ${this.name} cannot be used: ${describeFailure(error)}`);
      throw unavailableBucket(error);
    }
  }

  #key(object: string): { readonly Bucket: string; readonly Key: string } {
    const { bucket, prefix } = this.#address;
    return { Bucket: bucket, Key: `${prefix}${object}` };
  }
}

function configOf(
  { endpoint, region, pathStyle }: BucketAddress,
  { connectMs, idleMs, requestMs }: S3Timeouts,
): S3ClientConfig {
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    forcePathStyle: pathStyle,
    followRegionRedirects: true,
    maxAttempts: attemptsMax,
    // Ours are of SHA-256, and stores other than AWS do not know the CRC that the SDK would add.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: idleMs,
      requestTimeout: requestMs,
      throwOnRequestTimeout: true,
    },
  };
}
