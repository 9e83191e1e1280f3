import { Needed } from './look-ups.ts';

/** The symbol under which a record keeps its unread lazy fields. Copies by spreading do not include it. */
const lazyFields = Symbol('fields that are loaded when read');
/** The symbol under which it keeps where their texts are. */
const textSource = Symbol('the source of these fields');

/** The known properties of a text that is not in memory. */
export interface Unread {
  /** The hash of its UTF-8 form, hexadecimal. */
  readonly sha256: string;
  /** Its length in UTF-16 units. Absent if only its source knows that. */
  readonly characters?: number;
  /** How it begins: see `unreadOf`. */
  readonly start?: string;
}

/** Where the texts of lazy fields are, by the hashes of the texts. */
export interface TextSource {
  /** Within a rule, throws `Needed` unless the text is in memory. */
  get(sha256: string): string;
  load(sha256: string): Promise<string>;
}

interface WithLazyFields {
  readonly [lazyFields]?: Readonly<Record<string, Unread>>;
  readonly [textSource]?: TextSource;
}

/**
 * A frozen copy of a record whose `field` is loaded on access. Spreading, JSON and comparison see a string; a copy made
 * by spreading has the string itself. Other lazy fields stay lazy.
 */
export function withLazyText<R extends object>(
  record: R,
  field: keyof R & string,
  text: string | Unread,
  texts: TextSource,
): R {
  const unread = typeof text === 'string' ? { sha256: text } : text;
  return withLazyTexts(record, new Map([[field, unread]]), texts);
}

/** A copy of a record with several lazy fields. The values of the others are frozen already. */
export function withLazyTexts<R extends object>(record: R, texts: ReadonlyMap<string, Unread>, from: TextSource): R {
  const copy = Object.create(Object.getPrototypeOf(record) as object | null) as R;
  for (const key of Object.keys(record)) {
    const unread = texts.get(key);
    const property =
      unread === undefined
        ? Object.getOwnPropertyDescriptor(record, key)!
        : { enumerable: true, get: () => from.get(unread.sha256) };
    Object.defineProperty(copy, key, property);
  }
  const known = { ...(record as WithLazyFields)[lazyFields], ...Object.fromEntries(texts) };
  Object.defineProperty(copy, lazyFields, { value: Object.freeze(known) });
  Object.defineProperty(copy, textSource, { value: from });
  return Object.freeze(copy);
}

/** A copy of a record whose lazy fields are loaded; the record itself without lazy fields. */
export function withTexts<R extends object>(record: R): R | Promise<R> {
  return hasLazyText(record) ? loaded(record) : record;
}

async function loaded<R extends object>(record: R): Promise<R> {
  const { [lazyFields]: fields = {}, [textSource]: texts } = record as WithLazyFields;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(record)) {
    const unread = fields[key];
    copy[key] = unread === undefined ? record[key as keyof R] : await texts!.load(unread.sha256);
  }
  return copy as R;
}

/** Throws `Needed` within a rule unless every text of the record is in memory. */
export function requireTexts(record: object): void {
  if (!hasLazyText(record)) return;
  const { [lazyFields]: fields = {}, [textSource]: texts } = record as WithLazyFields;
  for (const { sha256 } of Object.values(fields)) texts!.get(sha256);
}

/** The hash of a lazy field; undefined if the record contains the text itself. Loads nothing. */
export function lazyHash(record: object, field: string): string | undefined {
  return lazyText(record, field)?.sha256;
}

/** The known properties of a lazy field without reading it; undefined if the record contains the text itself. */
export function lazyText(record: object, field: string): Unread | undefined {
  return (record as WithLazyFields)[lazyFields]?.[field];
}

/** The known properties of all lazy fields. */
export function lazyTexts(record: object): readonly Unread[] {
  const { [lazyFields]: fields } = record as WithLazyFields;
  return fields === undefined ? none : Object.values(fields);
}

const none: readonly Unread[] = [];

/** The hashes of all lazy fields. */
export function lazyHashes(record: object): readonly string[] {
  return lazyTexts(record).map(({ sha256 }) => sha256);
}

/** The first characters of a text, which is read only if they are not known otherwise; empty without a text. */
export function startOf(record: object, field: string, characters: number): string {
  const { start } = lazyText(record, field) ?? {};
  if (start !== undefined && start.length >= characters) return start.slice(0, characters);
  const value = (record as Readonly<Record<string, unknown>>)[field];
  return typeof value === 'string' ? value.slice(0, characters) : '';
}

/**
 * A record with its texts, in steps: the steps yield data that has to be fetched first. It is read in one step where
 * that is possible.
 */
export function* readInSteps<R extends object>(record: R): Generator<unknown, R> {
  if (!hasLazyText(record)) return record;
  for (;;)
    try {
      return { ...record };
    } catch (error) {
      if (!(error instanceof Needed)) throw error;
      yield error;
    }
}

/** Merges records like `{ ...below, ...above }`, but lazy fields stay lazy. */
export function overlaid<R extends object>(below: R, above: object): R {
  if (!hasLazyText(below) && !hasLazyText(above)) return { ...below, ...above };
  const copy = Object.create(Object.getPrototypeOf(below) as object | null) as R;
  const known: Record<string, Unread> = {};
  const texts = (above as WithLazyFields)[textSource] ?? (below as WithLazyFields)[textSource];
  for (const key of new Set([...Object.keys(below), ...Object.keys(above)])) {
    const source = Object.hasOwn(above, key) ? above : below;
    Object.defineProperty(copy, key, Object.getOwnPropertyDescriptor(source, key)!);
    const unread = lazyText(source, key);
    if (unread !== undefined) known[key] = unread;
  }
  Object.defineProperty(copy, lazyFields, { value: Object.freeze(known) });
  Object.defineProperty(copy, textSource, { value: texts });
  return Object.freeze(copy);
}

/** Returns whether any field of a record is lazy. */
export function hasLazyText(record: object): boolean {
  return (record as WithLazyFields)[lazyFields] !== undefined;
}
