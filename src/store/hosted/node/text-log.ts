import type { Append, Appended, CaughtUp, Entry, Head, Log } from '../../record/log.ts';
import { withLaterFields } from '../../record/assemble.ts';
import type { Collection } from '../../record/collection.ts';
import type { EntryBody, EntryChange } from '../../record/entry.ts';
import type { TextSource } from '../../record/lazy-text.ts';
import type { Revision } from '../../record/record.ts';
import { fromReferences, withReferences } from '../../record/text-reference.ts';

/** The version of bodies with references to texts. */
const withTexts = 2;

/** A log whose entries have references where records have lazy texts. Records of entries that a former version wrote get later fields. */
export class TextLog implements Log<EntryBody> {
  readonly #log: Log<EntryBody>;
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #sourceOf: (project: string) => TextSource;

  constructor(
    log: Log<EntryBody>,
    collections: ReadonlyMap<string, Collection>,
    sourceOf: (project: string) => TextSource,
  ) {
    this.#log = log;
    this.#collections = collections;
    this.#sourceOf = sourceOf;
  }

  get traits(): Log['traits'] {
    return this.#log.traits;
  }

  append(append: Append<EntryBody>): Promise<Appended> {
    return this.#log.append(written(append));
  }

  appendTogether(appends: readonly Append<EntryBody>[]): Promise<Appended> {
    return this.#log.appendTogether(appends.map(written));
  }

  async catchUp(known: ReadonlyMap<string, Head>): Promise<CaughtUp<EntryBody>> {
    const found = await this.#log.catchUp(known);
    return { ...found, entries: found.entries.map((entry) => this.#read(entry)) };
  }

  close(): Promise<void> {
    return this.#log.close();
  }

  #read(entry: Entry<EntryBody>): Entry<EntryBody> {
    const { project, body } = entry;
    const source = this.#sourceOf(project);
    const changes = mapped(body.changes, (change) => {
      const declared = this.#collections.get(change.c);
      if (declared === undefined) return change;
      const { texts } = declared;
      const { to } = change;
      const present = to && withLaterFields(declared, to);
      const whole = present === undefined || present === to ? change : { ...change, to: present };
      return texts.length === 0 ? whole : withValues(whole, (value) => fromReferences(value, texts, source));
    });
    return changes === body.changes ? entry : { ...entry, body: { ...body, changes } };
  }
}

/** An append as the log gets it. */
function written(append: Append<EntryBody>): Append<EntryBody> {
  const { body, beside } = append;
  const changes = mapped(body.changes, (change) => withValues(change, withReferences));
  const revisions = beside?.revisions && mapped(beside.revisions, withReferencesBefore);
  if (changes === body.changes && revisions === beside?.revisions) return append;
  return {
    ...append,
    ...(changes !== body.changes && { body: { ...body, changes }, version: withTexts }),
    ...(revisions && { beside: { ...beside, revisions } }),
  };
}

function withReferencesBefore(revision: Revision): Revision {
  const before = withReferences(revision.before);
  return before === revision.before ? revision : { ...revision, before };
}

/** Converts the values of a change; returns the same object if no value changes. */
function withValues(change: EntryChange, convert: <R extends object>(value: R) => R): EntryChange {
  const { to, was, gone } = change;
  const values = {
    ...(to && { to: convert(to) }),
    ...(was && { was: convert(was) }),
    ...(gone && { gone: convert(gone) }),
  };
  return values.to === to && values.was === was && values.gone === gone ? change : { ...change, ...values };
}

/** Converts the items of a list; returns the same list if no item changes. */
function mapped<T>(items: readonly T[], convert: (item: T) => T): readonly T[] {
  let copy: T[] | undefined;
  for (const [at, item] of items.entries()) {
    const converted = convert(item);
    if (converted !== item) (copy ??= [...items])[at] = converted;
  }
  return copy ?? items;
}
