import { type IdKind, idPrefixes } from '../../ids.ts';

const kindByPrefix = new Map<string, IdKind>(
  Object.entries(idPrefixes).map(([kind, prefix]) => [prefix, kind as IdKind]),
);

/** An id of Planner's own making; and where texts refer to a record by any id. */
const ownForm = /^[a-z]{3}_[0-9a-hjkmnp-tv-z]{16}$/;
const inTexts =
  /(planner:\/\/[a-z-]+\/|\/api\/v1\/[a-z-]+\/)([A-Za-z0-9_-]{1,64})|(?<![A-Za-z0-9_-])([a-z]{3}_[0-9a-hjkmnp-tv-z]{16})(?![A-Za-z0-9_-])/g;

/** Which new id stands for which old one, where records move from one project to another. */
export class IdMap {
  readonly #mint: (kind: IdKind) => string;
  readonly #ids = new Map<string, string>();

  /** `mint` makes a new id. */
  constructor(mint: (kind: IdKind) => string) {
    this.#mint = mint;
  }

  /** Says what a record is called from now on. False where its old id was another record's already. */
  add(old: string, present: string): boolean {
    if (this.#ids.has(old)) return false;
    this.#ids.set(old, present);
    return true;
  }

  /** The new id of a record that moved too. */
  of(old: string): string | undefined {
    return this.#ids.get(old);
  }

  /**
   * What a reference says from now on. One to a record that is gone gets a new id as well, the same each time: it goes on meaning that
   * record, which a restored revision may bring back. What is no id (a name, a path) stays.
   */
  refer(old: string): string {
    const known = this.#ids.get(old);
    if (known !== undefined) return known;
    const kind = ownForm.test(old) ? kindByPrefix.get(old.slice(0, 3)) : undefined;
    return kind === undefined ? old : this.own(old, kind);
  }

  /** The new id of a record that is gone and may come back, whatever form its old one has. */
  own(old: string, kind: IdKind): string {
    const known = this.#ids.get(old);
    if (known !== undefined) return known;
    const present = this.#mint(kind);
    this.#ids.set(old, present);
    return present;
  }

  /** A plain value with the ids in its texts replaced: in URLs any record's, elsewhere those of Planner's own form. */
  rewrite<T>(value: T): T {
    return this.#rewritten(value) as T;
  }

  #rewritten(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((item) => this.#rewritten(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [this.#text(key), this.#rewritten(member)]));
  }

  #text(text: string): string {
    if (!text.includes('_') && !text.includes('/')) return text;
    return text.replace(inTexts, (whole: string, before?: string, named?: string) => {
      const present = this.#ids.get(named ?? whole);
      return present === undefined ? whole : `${before ?? ''}${present}`;
    });
  }
}
