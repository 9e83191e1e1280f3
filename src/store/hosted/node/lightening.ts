import type { StoredText } from '../../record/log.ts';
import type { Collection } from '../../record/collection.ts';
import type { EntryChange } from '../../record/entry.ts';
import { lazyText, type TextSource, type Unread, withLazyTexts } from '../../record/lazy-text.ts';
import { type Change, membersOf, type Revision, type StoredRecord } from '../../record/record.ts';
import { isLarge, unreadOf } from '../../record/text-reference.ts';

/** Records as their entries have them, by the records in the index, until the entry is durable. */
export type Lightened = WeakMap<StoredRecord, StoredRecord>;

/**
 * Takes the large texts out of the change sets of one entry: its records have lazy texts in their place, and the texts
 * are stored with the entry, except for the already stored ones.
 */
export class Lightening {
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #source: TextSource;
  readonly #lightened: Lightened;
  /** The stored forms by the text. */
  readonly #known = new Map<string, Unread>();
  readonly #texts: StoredText[] = [];

  constructor(collections: ReadonlyMap<string, Collection>, source: TextSource, lightened: Lightened) {
    this.#collections = collections;
    this.#source = source;
    this.#lightened = lightened;
  }

  /** The texts to be stored with the entry. */
  get texts(): readonly StoredText[] {
    return this.#texts;
  }

  /** Texts that the former record has outside of memory have to be in memory. */
  change(entry: EntryChange, { collection, from }: Change): EntryChange {
    const { texts = [] } = this.#collections.get(collection) ?? {};
    if (texts.length === 0) return entry;
    if (from !== undefined) this.#know(from, texts);
    const { to, was, gone } = entry;
    const light = {
      ...(to && { to: this.#light(to, texts) }),
      ...(was && { was: this.#light(was, texts) }),
      ...(gone && { gone: this.#light(gone, texts) }),
    };
    if (light.to === to && light.was === was && light.gone === gone) return entry;
    if (to !== undefined && light.to !== undefined && light.to !== to) this.#lightened.set(to, light.to);
    return { ...entry, ...light };
  }

  revision(revision: Revision): Revision {
    const { texts = [] } = this.#collections.get(revision.target_type) ?? {};
    const before = this.#light(revision.before, texts);
    return before === revision.before ? revision : { ...revision, before };
  }

  /** The texts that a record has outside of memory are stored with an earlier entry. */
  #know(from: StoredRecord, texts: readonly string[]): void {
    for (const field of texts) {
      const unread = lazyText(from, field);
      if (unread !== undefined) this.#known.set(membersOf(from)[field] as string, unread);
    }
  }

  #light<R extends object>(record: R, texts: readonly string[]): R {
    let found: Map<string, Unread> | undefined;
    for (const field of texts) {
      if (lazyText(record, field) !== undefined) continue;
      const unread = this.#stored((record as Readonly<Record<string, unknown>>)[field]);
      if (unread !== undefined) (found ??= new Map<string, Unread>()).set(field, unread);
    }
    return found === undefined ? record : withLazyTexts(record, found, this.#source);
  }

  #stored(text: unknown): Unread | undefined {
    if (!isLarge(text)) return undefined;
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const unread = unreadOf(text);
    this.#known.set(text, unread);
    this.#texts.push({ sha256: unread.sha256, text });
    return unread;
  }
}
