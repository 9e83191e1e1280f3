/** A value that both sides changed differently, in each version. */
export interface Disputed<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}

/** Lines that are merged, or that both sides changed in different ways. */
export type Piece = readonly string[] | Disputed<readonly string[]>;

/**
 * Merges two changes of a text. Changes of different lines are both kept, also of neighbouring ones. In lines that both changed, changes of
 * different words are both kept if an unchanged word separates them. All other lines are disputed. The lines of all pieces, joined by line
 * feeds, are the text. The result does not depend on which side is ours.
 */
export function mergeText(base: string, ours: string, theirs: string): Piece[] {
  const limits = { characters: wordCharactersMax, steps: { left: stepsMax } };
  return mergeLines(base, ours, theirs).map((piece) => (isDisputed(piece) ? byWords(piece, limits) : piece));
}

/** Merges line by line only: for syntax in which a line is the smallest unit. */
export function mergeLines(base: string, ours: string, theirs: string): Piece[] {
  const lines = base.split('\n');
  if (ours === theirs || theirs === base) return [ours.split('\n')];
  if (ours === base) return [theirs.split('\n')];
  const left = hunks(lines, ours.split('\n'), { left: stepsMax });
  const right = hunks(lines, theirs.split('\n'), { left: stepsMax });
  return mergeHunks(lines, regions(left, right, meets));
}

/** The merged text with the disputed lines of one side. */
export function textOf(pieces: readonly Piece[], side: keyof Disputed<unknown>): string {
  return pieces.flatMap((piece) => (isDisputed(piece) ? piece[side] : piece)).join('\n');
}

export function isDisputed(piece: Piece): piece is Disputed<readonly string[]> {
  return 'base' in piece;
}

/** Reduces a conflict to the lines in which both sides differ: equal lines at its ends are not disputed. */
export function refined(piece: Disputed<readonly string[]>): Piece[] {
  const { base, ours, theirs } = piece;
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end, units } of hunks(ours, theirs, { left: stepsMax })) {
    const common = ours.slice(at, start);
    const last = pieces.at(-1);
    // Two conflicts with only blank lines between them are one conflict.
    if (last !== undefined && isDisputed(last) && common.every((line) => line.trim() === '')) {
      pieces[pieces.length - 1] = {
        base,
        ours: [...last.ours, ...common, ...ours.slice(start, end)],
        theirs: [...last.theirs, ...common, ...units],
      };
    } else pieces.push(common, { base, ours: ours.slice(start, end), theirs: units });
    at = end;
  }
  pieces.push(ours.slice(at));
  return pieces;
}

/** The lines with the words of both; the disputed lines themselves if both changed the same words: half a sentence of each is neither's. */
function byWords(piece: Disputed<readonly string[]>, limits: WordLimits): Piece {
  const sides = [piece.base, piece.ours, piece.theirs];
  // A removed line has no words, and neither has the place of an inserted one.
  if (sides.some((lines) => lines.length === 0)) return piece;
  const [base, ours, theirs] = [piece.base.join('\n'), piece.ours.join('\n'), piece.theirs.join('\n')];
  const characters = base.length + ours.length + theirs.length;
  if (characters > limits.characters) return piece;
  limits.characters -= characters;
  const words = wordsOf(base);
  const compared = (side: string): Hunk[] => hunks(words, wordsOf(side), limits.steps);
  const merged: string[] = [];
  for (const one of mergeHunks(words, regions(compared(ours), compared(theirs), touches))) {
    if (isDisputed(one)) return piece;
    merged.push(one.join(''));
  }
  return merged.join('').split('\n');
}

/** The words of a text, each with the white space before it: together they are the text. */
export function wordsOf(text: string): readonly string[] {
  return text.match(word) ?? [];
}

/** The remaining budget for comparing words in one merge. */
interface WordLimits {
  characters: number;
  readonly steps: Steps;
}

/** The words of this many characters of the three versions are compared; disputed lines beyond stay whole. */
const wordCharactersMax = 1_000_000;

const fullWidth = '\\u3001-\\u3003\\u3008-\\u301f\\uff01-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff40\\uff5b-\\uff65';
/**
 * A word with the white space before it. White space ends words, so that a date, number or address is never mixed of two; and so does
 * full-width punctuation, because scripts that use it do not put spaces between words.
 */
const word = new RegExp(`\\s*(?:[${fullWidth}]|[^\\s${fullWidth}]+)|\\s+`, 'gu');

/** Units (lines or words) `[start, end)` of the base, and what one side has in their place. */
interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly units: readonly string[];
}

/** A range of the base that one side changed, or both sides with overlapping changes. */
interface Region {
  readonly start: number;
  end: number;
  readonly ours: Hunk[];
  readonly theirs: Hunk[];
}

function mergeHunks(base: readonly string[], changed: readonly Region[]): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const region of changed) {
    pieces.push(base.slice(at, region.start));
    at = region.end;
    const mine = applied(base, region, region.ours);
    const other = applied(base, region, region.theirs);
    if (region.ours.length === 0) pieces.push(other);
    else if (region.theirs.length === 0 || isSame(mine, other)) pieces.push(mine);
    else pieces.push({ base: base.slice(region.start, region.end), ours: mine, theirs: other });
  }
  pieces.push(base.slice(at));
  return pieces;
}

function regions(
  ours: readonly Hunk[],
  theirs: readonly Hunk[],
  isOne: (region: Region, hunk: Hunk) => boolean,
): Region[] {
  const all = [...ours.map((hunk) => ({ hunk, mine: true })), ...theirs.map((hunk) => ({ hunk, mine: false }))];
  all.sort((a, b) => a.hunk.start - b.hunk.start || a.hunk.end - b.hunk.end);
  const found: Region[] = [];
  let last: Region | undefined;
  for (const { hunk, mine } of all) {
    if (last === undefined || !isOne(last, hunk))
      found.push((last = { start: hunk.start, end: hunk.end, ours: [], theirs: [] }));
    last.end = Math.max(last.end, hunk.end);
    (mine ? last.ours : last.theirs).push(hunk);
  }
  return found;
}

/**
 * Changes of neighbouring lines do not overlap. But if one side inserts next to a change of the other side, their order
 * is undefined.
 */
function meets(region: Region, hunk: Hunk): boolean {
  if (hunk.start < region.end) return true;
  const inserts =
    hunk.start === hunk.end ||
    [...region.ours, ...region.theirs].some(({ start, end }) => start === end && end === region.end);
  return hunk.start === region.end && inserts;
}

/** Neighbouring words mostly depend on each other. */
function touches(region: Region, hunk: Hunk): boolean {
  return hunk.start <= region.end;
}

/** The lines of one side in the region. */
function applied(base: readonly string[], { start, end }: Region, side: readonly Hunk[]): string[] {
  const parts: (readonly string[])[] = [];
  let at = start;
  for (const hunk of side) {
    parts.push(base.slice(at, hunk.start), hunk.units);
    at = hunk.end;
  }
  return [...parts, base.slice(at, end)].flat();
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((unit, i) => unit === b[i]);
}

/** The differences of one side from the base. */
function hunks(base: readonly string[], side: readonly string[], steps: Steps): Hunk[] {
  const partners = new Comparison(base, side, steps).partners;
  const found: Hunk[] = [];
  let [start, from] = [0, 0];
  for (let end = 0; end <= base.length; end++) {
    const to = end === base.length ? side.length : partners[end]!;
    if (to === -1) continue;
    if (end > start || to > from) found.push({ start, end, units: side.slice(from, to) });
    [start, from] = [end + 1, to + 1];
  }
  return found;
}

/** How many pairs of equal units may still be compared: there are many if a text often repeats a unit. */
interface Steps {
  left: number;
}

/** The limit for one comparison of lines, and for all comparisons of words in a merge. Beyond it the rest is one hunk. */
const stepsMax = 4_000_000;

/** Units `[start, end)` of the base and `[from, to)` of the side. */
interface Range {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The units of a base that a side has too, in the order of both.
 *
 * `diffArrays` of `diff` was measured in its place. Its time grows with the square of the changes: two sides of 6,000 lines that each changed
 * a quarter of them take 1.7 s instead of 39 ms, and with the bound that this needs (5,000 edits) sides of 20,000 lines conflict as a whole
 * after 4.3 s instead of being merged within 94 ms.
 */
class Comparison {
  /** The index in the side of each unit's equal, or -1, by the units of the base. */
  readonly partners: Int32Array;
  readonly #base: readonly string[];
  readonly #side: readonly string[];

  constructor(base: readonly string[], side: readonly string[], steps: Steps) {
    [this.#base, this.#side] = [base, side];
    this.partners = new Int32Array(base.length).fill(-1);
    const inner = this.#trim({ start: 0, end: base.length, from: 0, to: side.length });
    // Units that occur once are compared first: they are unambiguous, and divide the remaining units, such as empty lines.
    this.#pair(inner, this.#uniqueIn(inner));
    for (const gap of this.#gaps(inner)) {
      const rest = this.#trim(gap);
      const places = this.#placesIn(rest);
      const needed = this.#pairsIn(rest, places);
      if (needed > steps.left) continue;
      steps.left -= needed;
      this.#pair(rest, places);
    }
  }

  /** Pairs equal units at both ends. Returns the range between them. */
  #trim({ start, end, from, to }: Range): Range {
    while (start < end && from < to && this.#base[start] === this.#side[from]) this.partners[start++] = from++;
    while (start < end && from < to && this.#base[end - 1] === this.#side[to - 1]) this.partners[--end] = --to;
    return { start, end, from, to };
  }

  /** The positions of each unit in the side, the last one first. */
  #placesIn({ from, to }: Range): Map<string, number[]> {
    const places = new Map<string, number[]>();
    for (let i = to - 1; i >= from; i--) {
      const own = places.get(this.#side[i]!);
      if (own === undefined) places.set(this.#side[i]!, [i]);
      else own.push(i);
    }
    return places;
  }

  /** The positions of units that occur once in both. */
  #uniqueIn(range: Range): Map<string, number[]> {
    const places = this.#placesIn(range);
    for (const [unit, own] of places) if (own.length > 1) places.delete(unit);
    const seen = new Set<string>();
    for (let i = range.start; i < range.end; i++) {
      const unit = this.#base[i]!;
      if (seen.has(unit)) places.delete(unit);
      seen.add(unit);
    }
    return places;
  }

  #pairsIn({ start, end }: Range, places: ReadonlyMap<string, readonly number[]>): number {
    let pairs = 0;
    for (let i = start; i < end; i++) pairs += places.get(this.#base[i]!)?.length ?? 0;
    return pairs;
  }

  /** Pairs as many units of a range as possible: the longest common subsequence, after Hunt and Szymanski. */
  #pair({ start, end }: Range, places: ReadonlyMap<string, readonly number[]>): void {
    // The common subsequence of each length that ends first in the side.
    const ends: Chain[] = [];
    for (let i = start; i < end; i++) {
      for (const at of places.get(this.#base[i]!) ?? []) {
        const length = firstFrom(ends, at);
        if (ends[length]?.at !== at) ends[length] = { unit: i, at, before: ends[length - 1] };
      }
    }
    for (let chain = ends.at(-1); chain !== undefined; chain = chain.before) this.partners[chain.unit] = chain.at;
  }

  /** The gaps between the pairs of a range. */
  #gaps({ start, end, from, to }: Range): Range[] {
    const gaps: Range[] = [];
    for (let i = start; i <= end; i++) {
      const at = i === end ? to : this.partners[i]!;
      if (at === -1) continue;
      if (i > start && at > from) gaps.push({ start, end: i, from, to: at });
      [start, from] = [i + 1, at + 1];
    }
    return gaps;
  }
}

/** A common subsequence: its last pair, and those before. */
interface Chain {
  readonly unit: number;
  readonly at: number;
  readonly before: Chain | undefined;
}

/** The index of the first chain that ends at `at` or after it. */
function firstFrom(ends: readonly Chain[], at: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[middle]!.at < at) low = middle + 1;
    else high = middle;
  }
  return low;
}
