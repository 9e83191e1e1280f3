import { idTailLength, isIdPrefix, projectCodeOf } from './ids.ts';

/** A thing that people refer to by its id or name. */
export interface Named {
  readonly id: string;
  readonly name: string | null;
  /** Former names. */
  readonly aliases?: readonly string[];
}

/** The fewest characters of the end of an id that mean it. */
export const idEndMin = 4;

/**
 * Returns how well records match a text, the smaller the better, undefined for records that do not: by the id;
 * by the beginning of the id, its type and at least four characters; by the name; by the name in
 * another letter case; by a former name; with `parts`, also by the end of the id and by a part of the name.
 */
function matcherOf(text: string, parts: boolean): (record: Named) => number | undefined {
  const given = folded(text);
  const isPrefix = isIdPrefix(text);
  const isEnd = parts && given.length >= idEndMin && given.length <= idTailLength;
  const rules: ((record: Named) => boolean)[] = [
    ({ id }) => id === text,
    ({ id }) => isPrefix && id.startsWith(text),
    ({ name }) => name === text,
    ({ name }) => name !== null && folded(name) === given,
    ({ aliases = [] }) => aliases.some((alias) => folded(alias) === given),
    ({ id }) => isEnd && id.endsWith(given) && projectCodeOf(id) !== undefined,
    ({ name }) => parts && given !== '' && name !== null && folded(name).includes(given),
  ];
  return (record) => {
    const rank = rules.findIndex((matches) => matches(record));
    return rank < 0 ? undefined : rank;
  };
}

/** The records that match a text best. */
export class BestMatches<T extends Named> {
  #rank = Infinity;
  #found: T[] = [];
  readonly #rankOf: (record: Named) => number | undefined;

  constructor(text: string, { parts = false }: { readonly parts?: boolean } = {}) {
    this.#rankOf = matcherOf(text, parts);
  }

  get found(): readonly T[] {
    return this.#found;
  }

  add(record: T): void {
    const rank = this.#rankOf(record);
    if (rank === undefined || rank > this.#rank) return;
    if (rank < this.#rank) this.#found = [];
    this.#rank = rank;
    this.#found.push(record);
  }
}

/** The records that match a text best. */
export function meantBy<T extends Named>(
  records: readonly T[],
  text: string,
  options: { readonly parts?: boolean } = {},
): readonly T[] {
  const matches = new BestMatches<T>(text, options);
  for (const record of records) matches.add(record);
  return matches.found;
}

/**
 * The shortest end of each id, of at least `idEndMin` characters, that no other id has. Ids that Planner did not make
 * have no short form. `others`: the ids of further records that share the last characters with one of these.
 */
export function shortestEnds(ids: readonly string[], others: Iterable<string> = ids): ReadonlyMap<string, string> {
  const sharing = Map.groupBy(others, lastOf);
  return new Map(
    ids
      .filter((id) => projectCodeOf(id) !== undefined)
      .map((id) => {
        const near = (sharing.get(lastOf(id)) ?? []).filter((other) => other !== id);
        let length = idEndMin;
        while (near.some((other) => other.endsWith(id.slice(-length)))) length++;
        return [id, id.slice(-length)];
      }),
  );
}

/** The fewest characters that an id can be meant by. */
export function lastOf(id: string): string {
  return id.slice(-idEndMin);
}

/** File systems and keyboards compose accents differently. */
function folded(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}

/** Two names are alike above this share of common pairs of letters. */
const likenessMin = 0.4;
/** Names that a message proposes. */
const proposedMax = 3;

/** The names that are most like a text, best first: probable corrections of a misspelled name. */
export class LikeNames {
  readonly #text: string;
  readonly #pairs: ReadonlySet<string>;
  readonly #likest: { readonly name: string; readonly share: number }[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#pairs = pairsOf(text);
  }

  get found(): readonly string[] {
    return this.#likest.map(({ name }) => name);
  }

  add(name: string | null): void {
    if (name === null) return;
    const pairs = isReordered(name, this.#text) ? this.#pairs : pairsOf(name);
    const common = [...pairs].filter((pair) => this.#pairs.has(pair)).length;
    // The share refers to the shorter name, since one word of a long name is enough.
    const share = common / Math.max(1, Math.min(pairs.size, this.#pairs.size));
    if (share < likenessMin || this.#likest.some((other) => other.name === name)) return;
    this.#likest.push({ name, share });
    this.#likest.sort((a, b) => b.share - a.share);
    this.#likest.length = Math.min(this.#likest.length, proposedMax);
  }
}

/**
 * Returns whether names have the same letters in another order: a short one that is mistyped has few pairs of the
 * other.
 */
function isReordered(name: string, text: string): boolean {
  if (name.length !== text.length || name.length > idTailLength) return false;
  const sorted = (letters: string): string => [...folded(letters)].sort().join('');
  return sorted(name) === sorted(text);
}

/** The pairs of adjacent letters of a name; its first letter follows a blank. */
function pairsOf(name: string): ReadonlySet<string> {
  const letters = [...folded(name)];
  return new Set(letters.map((letter, at) => (letters[at - 1] ?? ' ') + letter));
}

/** Names as a message proposes them: ` Did you mean "Cook mode" or "Cook book"?`; empty without names. */
export function proposal(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name));
  const last = quoted.pop();
  if (last === undefined) return '';
  return ` Did you mean ${quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`}?`;
}

/** Matches that a message lists; the others are counted. */
const listedMax = 20;

/** Records as a message lists them: `tsk_… (Take payments), tsk_… (Send invoices) and 3 more`. */
export function listNamed(records: readonly Named[]): string {
  const shown = records.slice(0, listedMax).map(({ id, name }) => (name === null ? id : `${id} (${name})`));
  const more = records.length - shown.length;
  return `${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

/** The letters of a term for a state or rank: `In Progress`, `in-progress` and `inprogress` are the same. */
export function foldTerm(term: string): string {
  return term.toLowerCase().replace(/[^a-z]/g, '');
}
