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
  return postings instanceof Packed ? postings.used : postings.length;
}

/** The differences of ascending numbers, seven bits a byte, the lowest first. */
export class Packed {
  #bytes = new Uint8Array(24);
  #used = 0;
  #last = 0;

  add(value: number): void {
    // A difference has at most five bytes.
    if (this.#used + 5 > this.#bytes.length) {
      const more = new Uint8Array(Math.ceil(this.#bytes.length * 1.5));
      more.set(this.#bytes);
      this.#bytes = more;
    }
    let left = value - this.#last;
    this.#last = value;
    for (; left > 127; left >>>= 7) this.#bytes[this.#used++] = (left & 127) | 128;
    this.#bytes[this.#used++] = left;
  }

  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** The number of bytes in use. */
  get used(): number {
    return this.#used;
  }
}
