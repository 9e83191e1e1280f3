/** An object is not in the bucket, or not as it was stored. */
export class LostObjectError extends Error {}

/** Objects of an S3-compatible store, below one prefix of a bucket. */
export interface Bucket {
  /** `s3://bucket/prefix`, for messages. */
  readonly name: string;
  /**
   * Checks that objects can be stored, read and removed. Throws `conflict` if the bucket does not exist or refuses, and
   * `unavailable` if nothing answers.
   */
  check(): Promise<void>;
  /** Stores an object under a name that was never used before. Resolves once it is durable. Throws `unavailable`. */
  put(object: string, content: { readonly bytes: Uint8Array; readonly sha256: Uint8Array }): Promise<void>;
  /** The bytes of an object from `start` to before `end`. Throws `LostObjectError` if it has none there, and `unavailable`. */
  get(object: string, range: { readonly start: number; readonly end: number }): Promise<Uint8Array>;
  /** Whether there is such an object of this size. Throws `unavailable`. */
  has(object: string, size: number): Promise<boolean>;
  /** Removes an object if it exists. Throws `unavailable`. */
  remove(object: string): Promise<void>;
  close(): void;
}
