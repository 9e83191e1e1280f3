import { Packed, type Postings } from './postings.ts';

/**
 * For each slot, while a query is evaluated word by word: whether it has matched every word so far, and its score. A
 * posting is twice its slot, plus one if the word is in a text. Slots that miss a word are skipped at the next word, so
 * the rarest word comes first.
 */
export class Tally {
  readonly length: number;
  /** Twice the last word that matched, counted from 1, if all before it did; plus one if it is in a text. */
  readonly #states: Uint8Array;
  /** The sum over the words of the best weight with which each is in a text. */
  readonly scores: Float32Array;
  /** The slots that match the present word. */
  readonly #reached: Uint32Array;
  #reachedCount = 0;
  #word = 0;

  constructor(length: number) {
    this.length = length;
    this.#states = new Uint8Array(length);
    this.scores = new Float32Array(length);
    this.#reached = new Uint32Array(length);
  }

  clear(): void {
    this.#states.fill(0);
    this.scores.fill(0);
    this.#word = 0;
    this.#reachedCount = 0;
  }

  /** Begins with the next word. */
  next(): void {
    this.#word++;
    this.#reachedCount = 0;
  }

  /** The slots that match every word so far, in no order. */
  get reached(): Uint32Array {
    return this.#reached.subarray(0, this.#reachedCount);
  }

  /** Adds a term that matches the present word. Terms are added by descending weight: the first one of a text counts. */
  add(postings: Postings, weight: number): void {
    if (typeof postings === 'number') return this.#take(postings, weight);
    if (!(postings instanceof Packed)) {
      for (const value of postings) this.#take(value, weight);
      return;
    }
    const { bytes, to } = postings;
    const [states, scores, reached, present] = [this.#states, this.scores, this.#reached, this.#word * 2];
    let [value, count] = [0, this.#reachedCount];
    // As in `#take`, which costs three times as much for each posting.
    for (let at = postings.from; at < to;) {
      let byte = bytes[at++]!;
      value += byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = bytes[at++]!;
        value += (byte & 127) << shift;
      }
      const slot = value >>> 1;
      const inText = value & 1;
      const state = states[slot]!;
      if (state < present - 2 || state >= present + inText) continue;
      states[slot] = present + inText;
      if (state < present) reached[count++] = slot;
      if (inText === 1) scores[slot]! += weight;
    }
    this.#reachedCount = count;
  }

  #take(value: number, weight: number): void {
    const slot = value >>> 1;
    const inText = value & 1;
    const state = this.#states[slot]!;
    const present = this.#word * 2;
    // Either the word before it did not match, or nothing is new.
    if (state < present - 2 || state >= present + inText) return;
    this.#states[slot] = present + inText;
    if (state < present) this.#reached[this.#reachedCount++] = slot;
    this.scores[slot]! += inText * weight;
  }
}

/** The slots with the highest scores, with older records first among equal scores. */
export class Best {
  readonly slots: number[] = [];
  #least = 0;
  readonly #limit: number;
  readonly #created: readonly number[];
  readonly #scores: Float32Array;

  constructor(limit: number, created: readonly number[], scores: Float32Array) {
    this.#limit = limit;
    this.#created = created;
    this.#scores = scores;
  }

  add(slot: number): void {
    const { slots } = this;
    if (slots.length === this.#limit && this.#scores[slot]! < this.#least) return;
    let at = slots.length;
    while (at > 0 && this.#isBefore(slot, slots[at - 1]!)) at--;
    if (at >= this.#limit) return;
    slots.splice(at, 0, slot);
    if (slots.length > this.#limit) slots.pop();
    this.#least = this.#scores[slots.at(-1)!]!;
  }

  #isBefore(slot: number, other: number): boolean {
    const difference = this.#scores[slot]! - this.#scores[other]!;
    if (difference !== 0) return difference > 0;
    const older = this.#created[slot]! - this.#created[other]!;
    return older === 0 ? slot < other : older < 0;
  }
}
