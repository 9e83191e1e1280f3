import { hash, randomBytes, randomFillSync } from 'node:crypto';
import type { Clock } from './clock.ts';
import { limits } from './limits.ts';

/** Crockford's base32 in lower case: digits and letters without i, l, o and u. Ascending in ASCII, so ids sort like their numbers. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** The id prefix of each collection. */
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
  trash: 'trs',
  webhook: 'whk',
  delivery: 'dlv',
} as const;

export type IdKind = keyof typeof idPrefixes;

/** The format of every id that the service makes or a caller chooses. */
export const idPattern = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The format of an id in the front matter of a file, which another tool may have made: `TASK-196.7`. At most 64 visible
 * characters, with single spaces between them; no wiki link, placeholder of a template, URL or `..`.
 */
export const fileIdPattern =
  /^(?=.{1,64}$)(?!\.{1,2}$)(?!.*(?:\[\[|\{\{|:\/\/))[\p{L}\p{N}\p{M}\p{P}\p{S}]+(?: [\p{L}\p{N}\p{M}\p{P}\p{S}]+)*$/u;

const ownIdPattern = new RegExp(`^(?:${Object.values(idPrefixes).join('|')})_[A-Za-z0-9_-]{1,60}$`);

/**
 * Returns whether an id has the form of the service's own ids. Any other id may be in several files of another tool.
 */
export function isOwnId(id: string): boolean {
  return ownIdPattern.test(id);
}

/** An id as a part of a file name: itself, or a hash of an id with other characters. */
export function idInName(id: string): string {
  return idPattern.test(id) ? id : hash('sha256', id, 'hex').slice(0, 16);
}

/** Returns whether a text can be the beginning of an id: its type and at least four characters. */
export function isIdPrefix(text: string): boolean {
  return /^[a-z]{3}_[A-Za-z0-9_-]{4,60}$/.test(text);
}

const codeLength = 6;
/** The characters of an id that no other id of its project and type has. */
export const idTailLength = 10;
/** Ten base32 characters hold 50 bits: a number holds them exactly, and is made in a tenth of the time of a bigint. */
const tailBits = 50;
/** Within one millisecond each id is a random step of at most 2^20 above the previous one. */
const stepBits = 20;
/** The range of a block of ids: a million steps. */
const blockSpan = 2 ** 40;

/** Base32 of all numbers of ten bits. */
const pairs = Array.from({ length: 1024 }, (_, value) => alphabet[value >> 5]! + alphabet[value & 31]!);

/** `count` characters, an even number, of base32 from the lowest bits of `value`. */
function base32(value: number, count: number): string {
  let text = '';
  for (let left = count, rest = value; left > 0; left -= 2) {
    const above = Math.floor(rest / 1024);
    text = pairs[rest - above * 1024]! + text;
    rest = above;
  }
  return text;
}

/** Random bytes are fetched in pages of 4096: a system call costs more than an id. */
const pool = new Uint32Array(1024);
let poolUsed = pool.length;

/** `bits`: 53 at most. */
function randomBits(bits: number): number {
  if (poolUsed === pool.length) {
    randomFillSync(pool);
    poolUsed = 0;
  }
  const value = (pool[poolUsed]! & 0x1fffff) * 2 ** 32 + pool[poolUsed + 1]!;
  // Erase used numbers, so that they are neither reused nor left in memory.
  pool[poolUsed++] = 0;
  pool[poolUsed++] = 0;
  return value % 2 ** bits;
}

/** A random project code: six base32 characters. The caller checks that it is unused in the root. */
export function newProjectCode(): string {
  return base32(randomBits(30), codeLength);
}

/** The project code in a generated id; undefined for ids that a caller or file chose. */
export function projectCodeOf(id: string): string | undefined {
  return /^[a-z]{3}_([0-9a-hjkmnp-tv-z]{6})[0-9a-hjkmnp-tv-z]{10}$/.exec(id)?.[1];
}

/**
 * Generates ids `<prefix>_<6 characters of the project code><10 random characters>`.
 * Ids of one millisecond ascend in creation order, so (created_at, id) sorts by creation.
 */
export class IdSource {
  readonly #clock: Clock;
  #millisecond = -1;
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `at`: the record's creation time in milliseconds: the start of its transaction, however long that runs. */
  next(kind: IdKind, projectCode: string, at = this.#clock.now()): string {
    return `${idPrefixes[kind]}_${projectCode}${base32(this.#nextTail(at), idTailLength)}`;
  }

  /**
   * A source for a long-running change that interleaves with others. Its ids ascend, and sort between the ids that this
   * source returned before and the ids that it returns later in the same millisecond.
   */
  block(at: number): IdSource {
    const block = new IdSource(this.#clock);
    block.#last = this.#nextTail(at);
    block.#millisecond = Math.max(at, this.#millisecond);
    this.#last += blockSpan;
    return block;
  }

  #nextTail(now: number): number {
    // After a small backward step of the clock, ids must still sort after those already returned.
    if (now > this.#millisecond || this.#millisecond - now > limits.clockStepBackSecondsMax * 1000) {
      this.#millisecond = now;
      this.#last = randomBits(tailBits - 1);
    } else {
      this.#last += 1 + randomBits(stepBits);
    }
    return this.#last;
  }
}

/**
 * An id derived from the identity of a record (a path, a folded tag name, an edge's ends and label), so that every
 * clone computes the same.
 */
export function derivedId(kind: IdKind, projectCode: string, ...parts: readonly string[]): string {
  // The lowest bits of the first 64 of the digest.
  const digest = Number.parseInt(hash('sha256', parts.join('\0'), 'hex').slice(3, 16), 16);
  return `${idPrefixes[kind]}_${projectCode}${base32(digest, idTailLength)}`;
}

/** A random id for the service's own records, which belong to no project. */
export function randomId(kind: IdKind): string {
  return `${idPrefixes[kind]}_${base32(randomBits(30), codeLength)}${base32(randomBits(tailBits), idTailLength)}`;
}

/** Eight random base32 characters: a file name that no other branch or process will choose. */
export function randomName(): string {
  return base32(randomBits(40), 8);
}

/** An unguessable token: `bytes` random bytes as base64url. For sessions and other bearer credentials. */
export function randomToken(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

/** A random number from 0 to below 1, for spreading retries. */
export function randomShare(): number {
  return randomBits(53) / 2 ** 53;
}
