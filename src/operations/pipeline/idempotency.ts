import { createHash, hash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { canonicalJson } from '../../base/canonical-json.ts';
import { isoTime } from '../../base/clock.ts';
import { conflict, invalid } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import type { Upload } from '../declaration/operation.ts';
import type { Transactions } from '../declaration/transactions.ts';
import type {
  Collections,
  ServiceCollectionSpec,
  ServiceTx,
  ServiceReadTransaction,
  StoredRecord,
} from '../../store/index.ts';
import { Seal } from './seal.ts';

/** The record of a call with an idempotency key, stored with the call's change. */
export interface StoredResponse extends StoredRecord {
  /** The credential, since limits are per credential. Absent in records of earlier versions. */
  readonly credential?: string;
  readonly operation: string;
  /** The digest of the operation's input: a key identifies one call only. */
  readonly digest: string;
  /** The first response as JSON, sealed if it contains a secret. Null for no content, or if it is not stored. */
  readonly answer: string | null;
  /** SHA-256 of the response's JSON, which verifies a rebuilt response. Absent if there was no response. */
  readonly answer_sha256?: string;
  /** The project and the id of the resource in the response. */
  readonly project?: string;
  readonly resource?: string;
  readonly etag: string | null;
  /** The store deletes the record after this time. */
  readonly drop_at: string;
}

/** The resource of a response. */
export interface About {
  readonly project?: string | undefined;
  readonly resource?: string | undefined;
}

/** The stored data about the first response to a call with a key. */
export interface FirstResponse {
  /** Undefined for no content, or if it is not stored. */
  readonly value: unknown;
  readonly etag: string | undefined;
  /** Present if there was a response that is not stored. `sha256`: of its JSON. */
  readonly unkept?: About & { readonly sha256: string };
}

/**
 * The service collection of responses to calls with an idempotency key. Large responses are not stored but rebuilt. Beyond the limits on
 * bytes the oldest responses are deleted and their digests remain, so that a retry is still recognised. Beyond the limits on keys the
 * oldest keys are deleted. A store that several nodes share keeps all of them in its database until they expire.
 */
export const idempotencyCollection = {
  name: 'idempotency',
  placement: 'answer',
  retention: {
    // Records of earlier versions do not name their credential: they share one limit.
    owner: (record) => (record as StoredResponse).credential ?? '',
    weight: (record) => (record as StoredResponse).answer?.length ?? 0,
    shed: (record) => withoutResponse(record as StoredResponse),
    recordsPerOwnerMax: limits.idempotencyKeysPerCredentialMax,
    recordsMax: limits.idempotencyKeysMax,
    recordBytesMax: limits.idempotencyAnswerBytesMax,
    bytesPerOwnerMax: limits.idempotencyAnswersPerCredentialBytesMax,
    bytesMax: limits.idempotencyAnswersBytesMax,
  },
} as const satisfies ServiceCollectionSpec;

function withoutResponse(record: StoredResponse): StoredResponse {
  const { answer, answer_sha256 = sha256Of(answer ?? ''), resource = resourceIn(answer ?? '') } = record;
  return { ...record, answer: null, answer_sha256, ...(resource === undefined ? {} : { resource }) };
}

/** The id of the resource at the beginning of a response: records of earlier versions do not name it. */
function resourceIn(answer: string): string | undefined {
  const id = /^\{"\w+":\{"id":"([\w-]{1,64})"/.exec(answer)?.[1];
  // A copy: a substring in V8 references the whole string, which would keep megabytes in memory for an id.
  return id === undefined ? undefined : Buffer.from(id).toString();
}

export function sha256Of(json: string): string {
  return hash('sha256', json, 'base64url');
}

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** One call with an idempotency key: finds the first response, or stores its own. */
export class KeyedCall {
  readonly #id: string;
  readonly #credential: string;
  readonly #operation: string;
  readonly #digest: string;
  readonly #seal: Seal | undefined;
  /** The digest of the upload, as far as it was read. */
  #uploaded: Pick<Hash, 'copy'> | string | undefined;

  /**
   * `secret`: the response is encrypted so that only the holder of the key can read it. Throws `invalid_argument` for a key that is not 1
   * to 255 visible ASCII characters.
   */
  constructor(credential: string, key: string, operation: string, input: unknown, secret = false) {
    if (!keyPattern.test(key)) {
      throw invalid('Idempotency-Key', 'An idempotency key is 1 to 255 visible ASCII characters, for instance a UUID.');
    }
    this.#id = hash('sha256', `${credential}\0${key}`, 'hex');
    this.#credential = credential;
    this.#operation = operation;
    this.#digest = hash('sha256', canonicalJson(input), 'hex');
    this.#seal = secret ? new Seal(`${credential}\0${key}`) : undefined;
  }

  /** The key identifies the upload too: yields the same pieces and adds each to the digest. */
  async *including(pieces: AsyncIterable<Uint8Array>): AsyncIterableIterator<Uint8Array> {
    const digest = createHash('sha256');
    this.#uploaded = digest;
    yield* hashed(pieces, digest);
  }

  /** Includes the files after the first file, with their names. */
  async *includingFiles(files: AsyncIterable<Upload>): AsyncIterableIterator<Upload> {
    for await (const file of files) {
      const digest = this.#uploaded as Hash;
      digest.update(`\0${file.filename}\0`);
      yield { ...file, bytes: hashed(file.bytes, digest) };
    }
  }

  /** Includes an upload whose hash is known. */
  includingHash(sha256: string): void {
    this.#uploaded = sha256;
  }

  #wholeDigest(): string {
    const uploaded = typeof this.#uploaded === 'object' ? this.#uploaded.copy().digest('hex') : this.#uploaded;
    return uploaded === undefined ? this.#digest : hash('sha256', `${this.#digest}\0${uploaded}`, 'hex');
  }

  /** Identifies the key and its credential. */
  get id(): string {
    return this.#id;
  }

  /**
   * The stored data about the first response; undefined if the key is new at `now` (ISO). Throws `conflict` if the key was used for another
   * call.
   */
  async lookUp(store: Pick<Transactions<Collections>, 'findAnswer'>, now: string): Promise<FirstResponse | undefined> {
    return this.#firstOf(await store.findAnswer<StoredResponse>(idempotencyCollection.name, this.#id, now));
  }

  /** Finds the first response within a transaction, in the service's memory. */
  find(service: ServiceReadTransaction, now: string): FirstResponse | undefined {
    const first = service.get<StoredResponse>(idempotencyCollection.name, this.#id);
    return first === undefined || first.drop_at <= now ? undefined : this.#firstOf(first);
  }

  #firstOf(first: StoredResponse | undefined): FirstResponse | undefined {
    if (first === undefined) return undefined;
    if (first.operation !== this.#operation || first.digest !== this.#wholeDigest()) {
      throw conflict(
        `This idempotency key was used before for ${first.operation === this.#operation ? 'another input of ' : ''}${first.operation}. Use a new key for a new call.`,
        { operation: first.operation },
      );
    }
    const { answer, answer_sha256: sha256, project, resource } = first;
    const etag = first.etag ?? undefined;
    if (answer === null && sha256 !== undefined)
      return { value: undefined, etag, unkept: { sha256, project, resource } };
    const json = answer === null || this.#seal === undefined ? answer : this.#seal.open(answer);
    return { value: json === null ? undefined : JSON.parse(json), etag };
  }

  /** Stores the response with the change of this transaction, so that neither exists without the other. */
  keep(service: ServiceTx, now: string, value: unknown, etag: string | undefined, about: About = {}): void {
    const json: string | undefined = JSON.stringify(value);
    const record: StoredResponse = {
      id: this.#id,
      created_at: now,
      updated_at: now,
      credential: this.#credential,
      operation: this.#operation,
      digest: this.#wholeDigest(),
      answer: json === undefined ? null : (this.#seal?.close(json) ?? json),
      ...(json === undefined ? {} : { answer_sha256: sha256Of(json) }),
      ...(about.project === undefined ? {} : { project: about.project }),
      ...(about.resource === undefined ? {} : { resource: about.resource }),
      etag: etag ?? null,
      drop_at: isoTime(Date.parse(now) + limits.idempotencyHours * 3_600_000),
    };
    const isKept = (record.answer?.length ?? 0) <= limits.idempotencyAnswerBytesMax;
    service.put<StoredResponse>(idempotencyCollection.name, isKept ? record : withoutResponse(record));
  }
}

/** An upload whose bytes count as input of a call with an idempotency key. */
export function includedIn(keyed: KeyedCall, { further, ...upload }: Upload): Upload {
  const first = { ...upload, bytes: keyed.including(upload.bytes) };
  return further === undefined ? first : { ...first, further: keyed.includingFiles(further) };
}

async function* hashed(pieces: AsyncIterable<Uint8Array>, digest: Hash): AsyncIterableIterator<Uint8Array> {
  for await (const piece of pieces) {
    digest.update(piece);
    yield piece;
  }
}
