import { createHash, hash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { isoTime } from '../clock.ts';
import { conflict, invalid } from '../errors.ts';
import { limits } from '../limits.ts';
import type { StoredRecord } from '../store/record.ts';
import type { ServiceTx, ServiceView } from '../store/view.ts';
import { Seal } from './seal.ts';

/** The service collection of answers given to calls that bore a key. */
export const idempotencyCollection = 'idempotency';

/** What a keyed call did, kept in the transaction that did it. */
interface Answered extends StoredRecord {
  readonly operation: string;
  /** Of the operation's input: a key stands for one call only. */
  readonly digest: string;
  /** The first answer as JSON, null for none; sealed where it bears a secret. */
  readonly answer: string | null;
  readonly etag: string | null;
  /** The store forgets the record after this time. */
  readonly drop_at: string;
}

/** An answer as a repeat gets it. */
export interface Repeated {
  readonly value: unknown;
  readonly etag: string | undefined;
}

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** One call with an idempotency key: finds the first answer, or keeps this one. */
export class KeyedCall {
  readonly #id: string;
  readonly #operation: string;
  readonly #digest: string;
  readonly #seal: Seal | undefined;
  /** Of what was uploaded with the input, as far as it was read. */
  #uploaded: Pick<Hash, 'copy'> | string | undefined;

  /** `secret`: the answer is kept so that only who has the key can read it. Throws `invalid_argument` for a key that is not 1 to 255 visible ASCII characters. */
  constructor(credential: string, key: string, operation: string, input: unknown, secret = false) {
    if (!keyPattern.test(key)) {
      throw invalid('Idempotency-Key', 'An idempotency key is 1 to 255 visible ASCII characters, for instance a UUID.');
    }
    this.#id = hash('sha256', `${credential}\0${key}`, 'hex');
    this.#operation = operation;
    this.#digest = hash('sha256', canonical(input), 'hex');
    this.#seal = secret ? new Seal(`${credential}\0${key}`) : undefined;
  }

  /** An upload is part of what the key stands for: the same pieces, counted in as they are taken. */
  async *including(pieces: AsyncIterable<Uint8Array>): AsyncIterableIterator<Uint8Array> {
    const digest = createHash('sha256');
    this.#uploaded = digest;
    for await (const piece of pieces) {
      digest.update(piece);
      yield piece;
    }
  }

  /** The same for an upload whose hash is known. */
  includingHash(sha256: string): void {
    this.#uploaded = sha256;
  }

  #wholeDigest(): string {
    const uploaded = typeof this.#uploaded === 'object' ? this.#uploaded.copy().digest('hex') : this.#uploaded;
    return uploaded === undefined ? this.#digest : hash('sha256', `${this.#digest}\0${uploaded}`, 'hex');
  }

  /** The first answer, undefined when the key is new at `now` (ISO). Throws `conflict` where the key stood for another call. */
  find(service: ServiceView, now: string): Repeated | undefined {
    const first = service.get<Answered>(idempotencyCollection, this.#id);
    if (first === undefined || first.drop_at <= now) return undefined;
    if (first.operation !== this.#operation || first.digest !== this.#wholeDigest()) {
      throw conflict(
        `This idempotency key was used before for ${first.operation === this.#operation ? 'another input of ' : ''}${first.operation}. Take a new key for a new call.`,
        { operation: first.operation },
      );
    }
    const json = first.answer === null || this.#seal === undefined ? first.answer : this.#seal.open(first.answer);
    return { value: json === null ? undefined : JSON.parse(json), etag: first.etag ?? undefined };
  }

  /** Keeps the answer in the change's own transaction, so that neither is there without the other. */
  keep(service: ServiceTx, now: string, value: unknown, etag: string | undefined): void {
    const json = value === undefined ? null : JSON.stringify(value);
    service.put<Answered>(idempotencyCollection, {
      id: this.#id,
      created_at: now,
      updated_at: now,
      operation: this.#operation,
      digest: this.#wholeDigest(),
      answer: json === null || this.#seal === undefined ? json : this.#seal.close(json),
      etag: etag ?? null,
      drop_at: isoTime(Date.parse(now) + limits.idempotencyHours * 3_600_000),
    });
  }
}

/** JSON with sorted keys: two inputs that mean the same are the same text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
