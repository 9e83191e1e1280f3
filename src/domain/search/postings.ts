/** Ascending numbers: one, several, or many as differences in bytes. Most terms have one, and most memory is in terms with many. */
export type Postings = number | readonly number[] | Packed;

const severalMax = 8;

/** The postings with one more number, which is greater than all of them. */
export function withPosting(postings: Postings | undefined, value: number): Postings {
  if (postings === undefined) return value;
  if (typeof postings === 'number') return [postings, value];
  if (postings instanceof Packed) {
    postings.add(value);
    return postings;
  }
  if (postings.length < severalMax) return postings.concat(value);
  const packed = new Packed();
  for (const one of postings) packed.add(one);
  packed.add(value);
  return packed;
}

/** The work of reading postings, in bytes or numbers. */
export function costOf(postings: Postings): number {
  if (typeof postings === 'number') return 1;
  return postings instanceof Packed ? postings.to - postings.from : postings.length;
}

/**
 * Moves postings into an arena, where the postings of terms that are stored in sequence are read together without
 * waiting for memory.
 */
export function stored(postings: Postings, arena: Arena): Postings {
  if (typeof postings === 'number') return postings;
  if (postings instanceof Packed) return postings.storedIn(arena);
  // Up to five bytes each.
  const packed = new Packed(new Uint8Array(severalMax * 5 + 5));
  for (const value of postings) packed.add(value);
  return packed.storedIn(arena);
}

const chunkBytes = 256 * 1024;

/** Bytes in large pieces. Stored bytes do not change. */
export class Arena {
  #chunk = new Uint8Array(0);
  #used = 0;

  /** The bytes into which this many are to be copied, and where. */
  place(length: number): { readonly bytes: Uint8Array<ArrayBuffer>; readonly from: number } {
    if (this.#used + length > this.#chunk.length) {
      this.#chunk = new Uint8Array(Math.max(chunkBytes, length));
      this.#used = 0;
    }
    const from = this.#used;
    this.#used += length;
    return { bytes: this.#chunk, from };
  }
}

/** The differences of ascending numbers, seven bits a byte, the lowest first, in `bytes` from `from` to `to`. */
export class Packed {
  bytes: Uint8Array<ArrayBuffer>;
  from: number;
  to: number;
  #last = 0;
  /** True if the bytes are shared with other postings. */
  #isStored = false;

  constructor(bytes: Uint8Array<ArrayBuffer> = new Uint8Array(24), from = 0) {
    this.bytes = bytes;
    this.from = from;
    this.to = from;
  }

  add(value: number): void {
    // A difference has at most five bytes.
    if (this.#isStored || this.to + 5 > this.bytes.length) this.#grow();
    let left = value - this.#last;
    this.#last = value;
    for (; left > 127; left >>>= 7) this.bytes[this.to++] = (left & 127) | 128;
    this.bytes[this.to++] = left;
  }

  storedIn(arena: Arena): Packed {
    const { bytes, from } = arena.place(this.to - this.from);
    const packed = new Packed(bytes, from);
    for (let at = this.from; at < this.to; at++) bytes[packed.to++] = this.bytes[at]!;
    [packed.#last, packed.#isStored] = [this.#last, true];
    return packed;
  }

  #grow(): void {
    const own = this.bytes.subarray(this.from, this.to);
    this.bytes = new Uint8Array(Math.ceil((own.length + 5) * 1.5));
    this.bytes.set(own);
    [this.from, this.to, this.#isStored] = [0, own.length, false];
  }
}
