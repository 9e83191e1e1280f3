/** Terms in order with a number each, for prefixes and typos: a tenth of the memory of a tree of as many terms. */
export class TermList {
  #terms: string[] = [];
  #numbers: number[] = [];
  /** How many letters each term shares with the one before it. */
  #shared: number[] = [];
  /** Terms that are not sorted in yet. */
  #fresh: (readonly [term: string, number: number])[] = [];

  /** Adds a term that is not in the list. */
  add(term: string, number: number): void {
    this.#fresh.push([term, number]);
  }

  /** The numbers of all terms, in the order of the terms. */
  get numbers(): readonly number[] {
    this.#sort();
    return this.#numbers;
  }

  /** Calls `act` with the lengths and numbers of the terms that begin with a text, in order, up to `most`. */
  eachWithPrefix(prefix: string, most: number, act: (length: number, number: number) => void): void {
    this.#sort();
    const [terms, numbers] = [this.#terms, this.#numbers];
    const from = lowerBound(terms, prefix);
    const to = Math.min(lowerBound(terms, `${prefix}\uffff`, from), from + most);
    for (let at = from; at < to; at++) act(terms[at]!.length, numbers[at]!);
  }

  /**
   * The terms that a word becomes by inserting, deleting or replacing up to `most` letters, with that number. Terms with the same beginning
   * share its computation, and are skipped together if the beginning differs too much.
   */
  *within(word: string, most: number): Generator<readonly [term: string, edits: number, number: number], void> {
    this.#sort();
    const [terms, numbers, shared] = [this.#terms, this.#numbers, this.#shared];
    const distances = new Distances(word, most);
    for (let at = 0; at < terms.length;) {
      const term = terms[at]!;
      let depth = shared[at]!;
      let isNear = true;
      while (depth < term.length && isNear) isNear = distances.extend(depth, term.charCodeAt(depth++));
      const edits = isNear ? distances.at(term.length) : 0;
      if (edits > 0 && edits <= most) yield [term, edits, numbers[at]!];
      at++;
      // Skips the terms that share a prefix which is too far.
      if (!isNear) while (at < terms.length && shared[at]! >= depth) at++;
    }
  }

  #sort(): void {
    if (this.#fresh.length === 0) return;
    const fresh = this.#fresh.sort(([a], [b]) => (a < b ? -1 : 1));
    this.#fresh = [];
    const [terms, numbers, shared] = [this.#terms, this.#numbers, this.#shared];
    [this.#terms, this.#numbers, this.#shared] = [[], [], []];
    let at = 0;
    const takeUntil = (end: number): void => {
      if (at < end) this.#push(terms[at]!, numbers[at++]!);
      for (; at < end; at++) {
        this.#terms.push(terms[at]!);
        this.#numbers.push(numbers[at]!);
        this.#shared.push(shared[at]!);
      }
    };
    for (const [term, number] of fresh) {
      takeUntil(lowerBound(terms, term, at));
      this.#push(term, number);
    }
    takeUntil(terms.length);
  }

  /** Adds a term after all others. */
  #push(term: string, number: number): void {
    this.#shared.push(sharedLength(this.#terms.at(-1) ?? '', term));
    this.#terms.push(term);
    this.#numbers.push(number);
  }
}

/** The edits between the beginnings of a word and the beginnings of a term; more than `most` are not distinguished. */
class Distances {
  readonly #word: string;
  readonly #most: number;
  readonly #width: number;
  /** A row for each length of the term's beginning, with the edits for each length of the word's. */
  #rows: Uint8Array;

  constructor(word: string, most: number) {
    this.#word = word;
    this.#most = most;
    this.#width = word.length + 1;
    // A longer beginning than this differs too much.
    this.#rows = new Uint8Array(this.#width * (word.length + most + 2)).fill(most + 1);
    for (let at = 0; at <= Math.min(word.length, most); at++) this.#rows[at] = at;
  }

  /** Computes the row after `depth` letters of the term and the next one. Returns whether the beginnings are near enough. */
  extend(depth: number, letter: number): boolean {
    const [rows, most, width, word] = [this.#rows, this.#most, this.#width, this.#word];
    const [from, to] = [Math.max(0, depth + 1 - most), Math.min(word.length, depth + 1 + most)];
    if (from > to) return false;
    const former = depth * width;
    const next = former + width;
    let least = most + 1;
    // Beginnings whose lengths differ by more than `most` are not compared.
    for (let at = from; at <= to; at++) {
      let edits = rows[former + at]! + 1;
      if (at > 0) {
        edits = Math.min(edits, rows[former + at - 1]! + (word.charCodeAt(at - 1) === letter ? 0 : 1));
        if (at > from) edits = Math.min(edits, rows[next + at - 1]! + 1);
      }
      if (edits > most) edits = most + 1;
      rows[next + at] = edits;
      if (edits < least) least = edits;
    }
    return least <= most;
  }

  /** The edits between the word and a term of this length. */
  at(length: number): number {
    return this.#rows[length * this.#width + this.#word.length]!;
  }
}

/** The position of the first term that is not before a text. */
function lowerBound(terms: readonly string[], text: string, from = 0): number {
  let [low, high] = [from, terms.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (terms[middle]! < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sharedLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one.charCodeAt(at) === other.charCodeAt(at)) at++;
  return at;
}
