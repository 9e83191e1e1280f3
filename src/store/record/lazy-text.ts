/** The symbol under which a record keeps the hashes of its lazy fields. Copies by spreading do not include it. */
const lazyFields = Symbol('fields that are loaded when read');
/** The symbol under which it keeps where their texts are. */
const textSource = Symbol('the source of these fields');

/** Where the texts of lazy fields are, by the hashes of the texts. */
export interface TextSource {
  /** Within a rule, throws `Needed` unless the text is in memory. */
  get(sha256: string): string;
  load(sha256: string): Promise<string>;
}

interface WithLazyFields {
  readonly [lazyFields]?: Readonly<Record<string, string>>;
  readonly [textSource]?: TextSource;
}

/**
 * A frozen copy of a record whose `field` is loaded on access. Spreading, JSON and comparison see a string; a copy made
 * by spreading has the string itself. Other lazy fields stay lazy.
 */
export function withLazyText<R extends object>(
  record: R,
  field: keyof R & string,
  sha256: string,
  texts: TextSource,
): R {
  const copy = Object.create(Object.getPrototypeOf(record) as object | null) as R;
  for (const key of Object.keys(record)) {
    const descriptor = Object.getOwnPropertyDescriptor(record, key)!;
    Object.defineProperty(copy, key, key === field ? { enumerable: true, get: () => texts.get(sha256) } : descriptor);
  }
  const known = { ...(record as WithLazyFields)[lazyFields], [field]: sha256 };
  Object.defineProperty(copy, lazyFields, { value: Object.freeze(known) });
  Object.defineProperty(copy, textSource, { value: texts });
  return Object.freeze(copy);
}

/** A copy of a record whose lazy fields are loaded; the record itself if it has none. */
export function withTexts<R extends object>(record: R): R | Promise<R> {
  return hasLazyText(record) ? loaded(record) : record;
}

async function loaded<R extends object>(record: R): Promise<R> {
  const { [lazyFields]: fields = {}, [textSource]: texts } = record as WithLazyFields;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(record)) {
    const sha256 = fields[key];
    copy[key] = sha256 === undefined ? record[key as keyof R] : await texts!.load(sha256);
  }
  return copy as R;
}

/** Throws `Needed` within a rule unless every text of the record is in memory. */
export function requireTexts(record: object): void {
  if (!hasLazyText(record)) return;
  const { [lazyFields]: fields = {}, [textSource]: texts } = record as WithLazyFields;
  for (const sha256 of Object.values(fields)) texts!.get(sha256);
}

/** The hash of a lazy field; undefined if the record contains the text itself. Loads nothing. */
export function lazyHash(record: object, field: string): string | undefined {
  return (record as WithLazyFields)[lazyFields]?.[field];
}

/** The hashes of all lazy fields. */
export function lazyHashes(record: object): readonly string[] {
  return Object.values((record as WithLazyFields)[lazyFields] ?? {});
}

/** The same as `{ ...below, ...above }`, but lazy fields stay lazy. */
export function overlaid<R extends object>(below: R, above: object): R {
  if (!hasLazyText(below) && !hasLazyText(above)) return { ...below, ...above };
  const copy = Object.create(Object.getPrototypeOf(below) as object | null) as R;
  const hashes: Record<string, string> = {};
  const texts = (above as WithLazyFields)[textSource] ?? (below as WithLazyFields)[textSource];
  for (const key of new Set([...Object.keys(below), ...Object.keys(above)])) {
    const source = Object.hasOwn(above, key) ? above : below;
    Object.defineProperty(copy, key, Object.getOwnPropertyDescriptor(source, key)!);
    const sha256 = lazyHash(source, key);
    if (sha256 !== undefined) hashes[key] = sha256;
  }
  Object.defineProperty(copy, lazyFields, { value: Object.freeze(hashes) });
  Object.defineProperty(copy, textSource, { value: texts });
  return Object.freeze(copy);
}

/** Whether any field of a record is lazy. */
export function hasLazyText(record: object): boolean {
  return (record as WithLazyFields)[lazyFields] !== undefined;
}
