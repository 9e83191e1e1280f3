import { restPrefix } from '../../base/addresses.ts';
import { invalid } from '../../base/errors.ts';
import { fileIdPattern, type IdKind, idPrefixes } from '../../base/ids.ts';
import type { Fields } from './draft.ts';

const kindByPrefix = new Map<string, IdKind>(
  Object.entries(idPrefixes).map(([kind, prefix]) => [prefix, kind as IdKind]),
);

/** The form of Planner's own ids; and the URLs in which texts reference a record by any id. */
const ownForm = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{16}$/;
const inTexts = new RegExp(
  `(planner://[a-z-]+/|${restPrefix}/[a-z-]+/)([A-Za-z0-9_-]{1,64})` +
    '|(?<![A-Za-z0-9_-])([a-z]{3}_[0-9a-hjkmnp-tv-z]{16})(?![A-Za-z0-9_-])',
  'g',
);

/** Maps old ids to new ones when records are imported into another project. */
export class IdMap {
  readonly #mint: (kind: IdKind) => string;
  readonly #ids = new Map<string, string>();

  /** `mint` creates a new id. */
  constructor(mint: (kind: IdKind) => string) {
    this.#mint = mint;
  }

  /** The id that a draft's record keeps; undefined if it gets a new one. `path`: the record's in the draft. */
  kept(_fields: Fields, _path: string): string | undefined {
    return undefined;
  }

  /** Registers a record's new id. Returns false if the old id is another record's already. */
  add(old: string, present: string): boolean {
    if (this.#ids.has(old)) return false;
    this.#ids.set(old, present);
    return true;
  }

  /** The new id of a record that was registered. */
  of(old: string): string | undefined {
    return this.#ids.get(old);
  }

  /**
   * Rewrites a reference. One to a deleted record gets a new id, too, the same each time: it still references that record, which a revision
   * may restore. A value that is not an id (a name, a path) stays.
   */
  refer(old: string): string {
    const known = this.#ids.get(old);
    if (known !== undefined) return known;
    const kind = ownForm.test(old) ? kindByPrefix.get(old.slice(0, 3)) : undefined;
    return kind === undefined ? old : this.own(old, kind);
  }

  /** The new id of a deleted record that may be restored, whatever form its old id has. */
  own(old: string, kind: IdKind): string {
    const known = this.#ids.get(old);
    if (known !== undefined) return known;
    const present = this.#mint(kind);
    this.#ids.set(old, present);
    return present;
  }

  /** A plain value with the ids in its texts replaced: in URLs any record's, elsewhere ids of Planner's own form. */
  rewrite<T>(value: T): T {
    return this.#rewritten(value) as T;
  }

  /** The value itself if nothing in it is replaced: most values are large and have no id. */
  #rewritten(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (typeof value !== 'object' || value === null) return value;
    let isSame = true;
    const noted = (before: unknown, now: unknown): unknown => {
      isSame &&= before === now;
      return now;
    };
    if (Array.isArray(value)) {
      const items = value.map((item: unknown) => noted(item, this.#rewritten(item)));
      return isSame ? value : items;
    }
    const members = Object.entries(value).map(([key, member]) => [
      noted(key, this.#text(key)) as string,
      noted(member, this.#rewritten(member)),
    ]);
    return isSame ? value : Object.fromEntries(members as [string, unknown][]);
  }

  #text(text: string): string {
    if (!text.includes('_') && !text.includes('/')) return text;
    return text.replace(inTexts, (whole: string, before?: string, named?: string) => {
      const present = this.#ids.get(named ?? whole);
      return present === undefined ? whole : `${before ?? ''}${present}`;
    });
  }
}

/** An id map for a draft whose ids all stay as they are. */
export class KeptIds extends IdMap {
  constructor() {
    super(() => {
      throw new Error('No id is replaced.');
    });
  }

  override kept({ id }: Fields, path: string): string {
    if (typeof id === 'string' && fileIdPattern.test(id)) return id;
    throw invalid(`${path}.id`, `${path}.id must be an id, which is kept.`);
  }

  override add(old: string): boolean {
    return super.add(old, old);
  }

  override of(old: string): string {
    return old;
  }

  override refer(old: string): string {
    return old;
  }

  override own(old: string): string {
    return old;
  }

  override rewrite<T>(value: T): T {
    return value;
  }
}
