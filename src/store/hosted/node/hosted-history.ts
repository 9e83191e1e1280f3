import { type RevisionIndex, isAsked, newestFirst } from '../../replica/revision-index.ts';
import type { HistoryQuery, Revision, RevisionId, RevisionSummary } from '../../record/record.ts';
import { hasValue } from '../../record/revision-reference.ts';
import { SortedList } from '../../record/sorted-list.ts';
import type { RevisionValue, RevisionValues } from './revision-values.ts';

/** The part of a revision that is in memory. */
interface Kept extends RevisionSummary {
  /** Until it is stored; always of a revision whose entry contains it, as earlier versions wrote them. */
  value: RevisionValue | undefined;
}

/** The number of revisions that are fetched with one: of its record in each direction, and of all later records. */
const togetherOfRecord = 255;
const together = 63;
const togetherInStream = 512;

/**
 * The revisions of one project, as its log has them: their summaries are in memory, and their values are looked up.
 */
export class HostedHistory implements RevisionIndex {
  /** Every revision is in an entry. */
  readonly version = '';
  readonly #project: string;
  readonly #values: RevisionValues;
  readonly #byId = new Map<string, Kept>();
  readonly #all = new SortedList<Kept>(newestFirst);
  /** Oldest first; a list only of records with several. */
  readonly #byTarget = new Map<string, Kept | Kept[]>();
  /** Equal texts and lists of fields are in memory once. */
  readonly #texts = new Map<string, string>();
  readonly #fields = new Map<string, readonly string[]>();

  constructor(project: string, values: RevisionValues) {
    this.#project = project;
    this.#values = values;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** The first ones that were added, which stay the first, as `add` takes them: with their values unless those are stored. */
  *oldest(count: number): IterableIterator<Revision | RevisionSummary> {
    let left = count;
    for (const { value, ...summary } of this.#byId.values()) {
      if (left-- === 0) return;
      yield value === undefined ? summary : { ...summary, ...value };
    }
  }

  /** One with a value keeps it until it is `stored`. */
  add(revision: Revision | RevisionSummary): void {
    if (this.#byId.has(revision.id)) return;
    const { at, id, target, target_type, author, session, fields } = revision;
    const known = this.#ofTarget(target)[0];
    const kept: Kept = {
      ...{ at, id, target: known?.target ?? target, target_type: this.#text(target_type), author: this.#text(author) },
      ...(session === undefined ? undefined : { session }),
      fields: this.#fieldsOf(fields),
      value: hasValue(revision) ? { before: revision.before, after: revision.after } : undefined,
    };
    this.#byId.set(id, kept);
    this.#all.add(kept);
    const list = this.#byTarget.get(target);
    if (list === undefined) this.#byTarget.set(kept.target, kept);
    else if (Array.isArray(list)) insert(list, kept);
    else this.#byTarget.set(kept.target, newestFirst(list, kept) > 0 ? [list, kept] : [kept, list]);
  }

  /** The value of a revision is durable outside memory, which keeps it only while there is room. */
  stored(id: string): void {
    const kept = this.#byId.get(id);
    if (kept?.value === undefined) return;
    this.#values.keep(this.#project, id, kept.value);
    kept.value = undefined;
  }

  /** Removes a revision whose change was taken back. */
  undo(id: string): void {
    const kept = this.#byId.get(id);
    if (kept === undefined) return;
    this.#byId.delete(id);
    this.#all.delete(kept);
    const left = this.#ofTarget(kept.target).filter((one) => one !== kept);
    if (left.length === 0) this.#byTarget.delete(kept.target);
    else this.#byTarget.set(kept.target, left);
  }

  has(id: string): boolean {
    return this.#byId.has(id);
  }

  revision(id: string): Revision | undefined {
    const kept = this.#byId.get(id);
    return kept && this.#revision(kept, () => this.#near(kept, { target: kept.target }));
  }

  *revisions(query: HistoryQuery): IterableIterator<Revision> {
    for (const kept of this.#asked(query)) yield this.#revision(kept, () => this.#near(kept, query));
  }

  *summaries(query: HistoryQuery): IterableIterator<RevisionSummary> {
    for (const { value: _, ...summary } of this.#asked(query)) yield summary;
  }

  ids(query: HistoryQuery): IterableIterator<RevisionId> {
    return this.summaries(query);
  }

  streamed(query: HistoryQuery): AsyncIterableIterator<readonly Revision[]> {
    // As they are now: later ones are not among them.
    return this.#streamed([...this.#asked(query)]);
  }

  async *#streamed(all: readonly Kept[]): AsyncIterableIterator<readonly Revision[]> {
    for (let at = 0; at < all.length;) {
      const some = all.slice(at, at + togetherInStream);
      const absent = some.filter(({ value }) => value === undefined).map(({ id }) => id);
      const values = await this.#values.load(this.#project, absent);
      const whole: Revision[] = [];
      for (const { value: held, ...summary } of some) {
        const value = held ?? values.get(summary.id);
        if (value === undefined) break;
        whole.push({ ...summary, ...value });
      }
      at += whole.length;
      yield whole;
    }
  }

  *#asked(query: HistoryQuery): IterableIterator<Kept> {
    const { target, after, newer } = query;
    const ofTarget = this.#ofTarget(target ?? '');
    const all =
      newer !== undefined
        ? ofTarget.slice(ofTarget.findLastIndex((one) => newestFirst(one, newer) >= 0) + 1)
        : target === undefined
          ? this.#all.values(after as Kept | undefined)
          : ofTarget.toReversed();
    for (const kept of all) {
      const { at, id, author, target_type: type } = kept;
      if (isAsked({ at, id, author, type }, query)) yield kept;
    }
  }

  /** Oldest first. */
  #ofTarget(target: string): readonly Kept[] {
    const list = this.#byTarget.get(target);
    return list === undefined ? [] : Array.isArray(list) ? list : [list];
  }

  #revision({ value, ...summary }: Kept, near: () => readonly string[]): Revision {
    return { ...summary, ...(value ?? this.#values.get(this.#project, summary.id, near)) };
  }

  /** The revisions that are fetched with one, if they are not in memory. */
  #near(kept: Kept, query: HistoryQuery): readonly string[] {
    const near = query.target === undefined ? this.#behind(kept, query) : this.#besides(kept);
    return near
      .filter(({ id, value }) => value === undefined && !this.#values.has(this.#project, id))
      .map(({ id }) => id);
  }

  #behind(kept: Kept, query: HistoryQuery): readonly Kept[] {
    const found: Kept[] = [];
    for (const one of this.#asked({ ...query, after: kept })) {
      if (found.length === together) break;
      found.push(one);
    }
    return found;
  }

  /** The revisions of the same record: older ones, then newer ones. */
  #besides(kept: Kept): readonly Kept[] {
    const all = this.#ofTarget(kept.target);
    const at = all.indexOf(kept);
    const older = all.slice(Math.max(0, at - togetherOfRecord), at).reverse();
    return [...older, ...all.slice(at + 1, at + 1 + togetherOfRecord)];
  }

  #text(text: string): string {
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, text);
    return known ?? text;
  }

  #fieldsOf(fields: readonly string[]): readonly string[] {
    const key = fields.join('\n');
    let known = this.#fields.get(key);
    if (known === undefined) this.#fields.set(key, (known = Object.freeze([...fields])));
    return known;
  }
}

/** Most are newer than all others. */
function insert(list: Kept[], kept: Kept): void {
  let at = list.length;
  while (at > 0 && newestFirst(list[at - 1]!, kept) < 0) at--;
  list.splice(at, 0, kept);
}
