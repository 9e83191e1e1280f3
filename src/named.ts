import { isIdPrefix } from './ids.ts';

/** What people refer to by its id or name. */
export interface Named {
  readonly id: string;
  readonly name: string | null;
  /** Former names. */
  readonly aliases?: readonly string[];
  /** An id of another tool in its file, which other files contain, too. */
  readonly sharedId?: string;
}

/**
 * Returns how well records match a text, the smaller the better, undefined for those that do not: by the id, also one that files share; by the beginning of the id, its
 * type and at least four characters; by the name; by the name in another letter case; by a former name.
 */
function matcherOf(text: string): (record: Named) => number | undefined {
  const given = folded(text);
  const isPrefix = isIdPrefix(text);
  const rules: ((record: Named) => boolean)[] = [
    ({ id, sharedId }) => id === text || sharedId === text,
    ({ id }) => isPrefix && id.startsWith(text),
    ({ name }) => name === text,
    ({ name }) => name !== null && folded(name) === given,
    ({ aliases = [] }) => aliases.some((alias) => folded(alias) === given),
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

  constructor(text: string) {
    this.#rankOf = matcherOf(text);
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
export function meantBy<T extends Named>(records: readonly T[], text: string): readonly T[] {
  const matches = new BestMatches<T>(text);
  for (const record of records) matches.add(record);
  return matches.found;
}

/** File systems and keyboards compose accents differently. */
function folded(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
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
