/** Terms in order, for prefixes and typos: a tenth of the memory of a tree of as many terms. */
export class TermList {
  #sorted: string[] = [];
  /** Terms that are not sorted in yet. */
  #fresh: string[] = [];

  /** Adds a term that is not in the list. */
  add(term: string): void {
    this.#fresh.push(term);
  }

  /** The terms that begin with a text, in order. */
  *withPrefix(prefix: string): Generator<string, void> {
    const terms = this.#inOrder();
    for (let at = lowerBound(terms, prefix); at < terms.length; at++) {
      const term = terms[at]!;
      if (!term.startsWith(prefix)) return;
      yield term;
    }
  }

  /**
   * The terms that a word becomes by inserting, deleting or replacing up to `most` letters, with that number. Terms with the same beginning
   * share its computation, and are skipped together if the beginning differs too much.
   */
  *within(word: string, most: number): Generator<readonly [term: string, edits: number], void> {
    const terms = this.#inOrder();
    const rows = [Array.from({ length: word.length + 1 }, (_, at) => at)];
    let known = '';
    for (let at = 0; at < terms.length;) {
      const term = terms[at]!;
      let depth = sharedLength(known, term);
      known = term;
      let tooFar = false;
      while (depth < term.length && !tooFar) {
        rows[depth + 1] = nextRow(rows[depth]!, word, term.charCodeAt(depth));
        depth++;
        tooFar = Math.min(...rows[depth]!) > most;
      }
      if (tooFar) {
        known = term.slice(0, depth);
        at = lowerBound(terms, `${known}\uffff`, at + 1);
        continue;
      }
      const edits = rows[term.length]![word.length]!;
      if (edits > 0 && edits <= most) yield [term, edits];
      at++;
    }
  }

  #inOrder(): readonly string[] {
    if (this.#fresh.length === 0) return this.#sorted;
    const fresh = this.#fresh.sort();
    this.#fresh = [];
    this.#sorted = this.#sorted.length === 0 ? fresh : merged(this.#sorted, fresh);
    return this.#sorted;
  }
}

function merged(some: readonly string[], more: readonly string[]): string[] {
  const all: string[] = [];
  let at = 0;
  for (const term of more) {
    while (at < some.length && some[at]! < term) all.push(some[at++]!);
    all.push(term);
  }
  while (at < some.length) all.push(some[at++]!);
  return all;
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

/** The edits from each beginning of the word to a term's beginning that is one letter longer than that of `row`. */
function nextRow(row: readonly number[], word: string, letter: number): number[] {
  const next = [row[0]! + 1];
  for (let at = 1; at <= word.length; at++) {
    const replaced = row[at - 1]! + (word.charCodeAt(at - 1) === letter ? 0 : 1);
    next.push(Math.min(replaced, row[at]! + 1, next[at - 1]! + 1));
  }
  return next;
}
