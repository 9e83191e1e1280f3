import { hash, randomBytes, randomFillSync } from 'node:crypto';
import type { Clock } from './clock.ts';
import { limits } from './limits.ts';

/** Crockford's base32 in lower case: digits and letters without i, l, o and u. Ascending in ASCII, so ids sort as their numbers do. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** The prefixes of ids, by the collection that bears them. */
export const idPrefixes = {
  project: 'prj',
  task: 'tsk',
  goal: 'gol',
  document: 'doc',
  folder: 'fld',
  edge: 'edg',
  comment: 'cmt',
  note: 'not',
  file: 'fil',
  artifact: 'art',
  prototype: 'pro',
  share: 'shr',
  revision: 'rev',
  view: 'viw',
  run: 'run',
  event: 'evt',
  submission: 'sub',
  tag: 'tag',
  key: 'key',
} as const;

export type IdKind = keyof typeof idPrefixes;

/** What an id must look like wherever a caller or a file may choose it. */
export const idPattern = /^[A-Za-z0-9_-]{1,64}$/;

const codeLength = 6;
const tailLength = 10;
/** Ten base32 characters hold 50 bits. */
const tailBits = 50n;
/** Within one millisecond the next id is a random step of at most 2^20 above the former one. */
const stepMask = (1n << 20n) - 1n;
/** What a block of ids spans: a million steps. */
const blockSpan = 1n << 40n;

/** `count` characters of base32 from the lowest bits of `value`. */
function base32(value: bigint, count: number): string {
  let text = '';
  for (let left = count, rest = value; left > 0; left--, rest >>= 5n) text = alphabet[Number(rest & 31n)] + text;
  return text;
}

/** Random bytes are asked for a page at a time: each call of the system costs more than an id. */
const pool = Buffer.alloc(4096);
let poolUsed = pool.length;

function randomBits(bits: bigint): bigint {
  if (poolUsed === pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  const value = pool.readBigUInt64LE(poolUsed);
  // What was given out is never given out again, nor found in memory.
  pool.fill(0, poolUsed, poolUsed + 8);
  poolUsed += 8;
  return value & ((1n << bits) - 1n);
}

/** A random project code: six base32 characters. The caller makes sure that it is free in the root. */
export function newProjectCode(): string {
  return base32(randomBits(30n), codeLength);
}

/** The project's code inside one of Planner's own ids, or undefined for an id that somebody chose. */
export function projectCodeOf(id: string): string | undefined {
  return /^[a-z]{3}_([0-9a-hjkmnp-tv-z]{6})[0-9a-hjkmnp-tv-z]{10}$/.exec(id)?.[1];
}

/**
 * Mints ids `<prefix>_<6 characters of the project's code><10 random characters>`.
 * Ids made in one millisecond ascend in the order of making: (created_at, id) is the order of creation.
 */
export class IdSource {
  readonly #clock: Clock;
  #millisecond = -1;
  #last = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `at`: the millisecond that the record is made in; a transaction's own, however long it takes. */
  next(kind: IdKind, projectCode: string, at = this.#clock.now()): string {
    return `${idPrefixes[kind]}_${projectCode}${base32(this.#nextTail(at), tailLength)}`;
  }

  /**
   * A source for one long change whose ids are made between those of others: they ascend among themselves, and lie between the ids that
   * this source gave before and those that it gives later in the same millisecond.
   */
  block(at: number): IdSource {
    const block = new IdSource(this.#clock);
    block.#last = this.#nextTail(at);
    block.#millisecond = Math.max(at, this.#millisecond);
    this.#last += blockSpan;
    return block;
  }

  #nextTail(now: number): bigint {
    // A clock that stepped back a little must not make ids that sort before those already given in this millisecond.
    if (now > this.#millisecond || this.#millisecond - now > limits.clockStepBackSecondsMax * 1000) {
      this.#millisecond = now;
      this.#last = randomBits(tailBits - 1n);
    } else {
      this.#last += 1n + (randomBits(20n) & stepMask);
    }
    return this.#last;
  }
}

/** An id that every clone derives alike from what names the record: a path, a folded tag name, an edge's ends and label. */
export function derivedId(kind: IdKind, projectCode: string, ...parts: readonly string[]): string {
  const digest = BigInt(`0x${hash('sha256', parts.join('\0'), 'hex').slice(0, 16)}`);
  return `${idPrefixes[kind]}_${projectCode}${base32(digest & ((1n << tailBits) - 1n), tailLength)}`;
}

/** An id of the service's own that belongs to no project: all of it is random. */
export function randomId(kind: IdKind): string {
  return `${idPrefixes[kind]}_${base32(randomBits(30n), codeLength)}${base32(randomBits(tailBits), tailLength)}`;
}

/** Eight random base32 characters: the name of a file that no other branch or process is going to choose. */
export function randomName(): string {
  return base32(randomBits(40n), 8);
}

/** A name that nobody can guess: `bytes` random bytes as base64url. For sessions and whatever else is known by its bearer. */
export function randomToken(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}
