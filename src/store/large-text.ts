import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Disk } from './disk.ts';
import { replaceFile } from './replace-file.ts';

/** Names a text that is kept in a file. */
export interface TextReference {
  readonly sha256: string;
  /** Of its UTF-8 form. */
  readonly bytes: number;
}

/**
 * Texts too large to be held in memory, each in a file named by its hash. They are copies: the truth is the record's file or the journal,
 * so nothing is synced and a copy is believed only after its hash was looked at.
 */
export class TextStore {
  readonly #disk: Disk;
  readonly #directory: string;
  /** Written or looked at by this process. */
  readonly #sound = new Set<string>();

  /** `directory` is the root's `local`, absolute. */
  constructor(disk: Disk, directory: string) {
    this.#disk = disk;
    this.#directory = join(directory, 'texts');
  }

  /** Keeps a text. The same text twice is kept once. */
  put(text: string): TextReference {
    const bytes = Buffer.from(text);
    const sha256 = hash('sha256', bytes, 'hex');
    if (!this.#has(sha256)) {
      const path = this.#path(sha256);
      this.#disk.makeDirectory(join(path, '..'));
      replaceFile(this.#disk, path, bytes, { durable: false });
      this.#sound.add(sha256);
    }
    return { sha256, bytes: bytes.length };
  }

  /** Whether `get` would answer. */
  has(sha256: string): boolean {
    return this.#has(sha256);
  }

  /** Throws where the text is not kept (any more). */
  get(sha256: string): string {
    const bytes = this.#load(sha256);
    if (bytes === undefined) {
      throw new Error(`The text ${sha256} is missing in ${this.#directory}: it was removed while the store was open.`);
    }
    return bytes.toString();
  }

  /** Removes every text that is not named. Answers how many went. */
  sweep(keep: ReadonlySet<string>): number {
    let removed = 0;
    for (const { name: prefix, kind } of this.#disk.list(this.#directory)) {
      if (kind !== 'directory') continue;
      for (const { name } of this.#disk.list(join(this.#directory, prefix))) {
        if (keep.has(name)) continue;
        this.#disk.remove(join(this.#directory, prefix, name));
        this.#sound.delete(name);
        removed++;
      }
    }
    return removed;
  }

  #has(sha256: string): boolean {
    // A person may clean `local` at any time: what was sound a moment ago is looked for again.
    return this.#sound.has(sha256)
      ? this.#disk.stat(this.#path(sha256)) !== undefined
      : this.#load(sha256) !== undefined;
  }

  #load(sha256: string): Buffer | undefined {
    const bytes = this.#disk.readIfThere(this.#path(sha256));
    if (bytes === undefined) return undefined;
    if (!this.#sound.has(sha256) && hash('sha256', bytes, 'hex') !== sha256) return undefined;
    this.#sound.add(sha256);
    return bytes;
  }

  #path(sha256: string): string {
    return join(this.#directory, sha256.slice(0, 2), sha256);
  }
}

/** Under this name, which no copy of a record takes along, a record keeps the hashes of its fields that are loaded when read. */
const lazyFields = Symbol('fields that are loaded when read');

interface WithLazyFields {
  readonly [lazyFields]?: Readonly<Record<string, string>>;
}

/**
 * A frozen copy of a record whose `field` is loaded from the text store whenever it is read. Spreading, JSON and comparison see a string;
 * a copy made by spreading holds the string itself. Other fields that are lazy already stay so.
 */
export function withLazyText<R extends object>(
  record: R,
  field: keyof R & string,
  sha256: string,
  store: TextStore,
): R {
  const copy = Object.create(Object.getPrototypeOf(record) as object | null) as R;
  for (const key of Object.keys(record)) {
    const descriptor = Object.getOwnPropertyDescriptor(record, key)!;
    Object.defineProperty(copy, key, key === field ? { enumerable: true, get: () => store.get(sha256) } : descriptor);
  }
  const known = { ...(record as WithLazyFields)[lazyFields], [field]: sha256 };
  Object.defineProperty(copy, lazyFields, { value: Object.freeze(known) });
  return Object.freeze(copy);
}

/** The hash of a field's text where it is loaded when read, undefined where the record holds the text itself. Loads nothing. */
export function lazyHash(record: object, field: string): string | undefined {
  return (record as WithLazyFields)[lazyFields]?.[field];
}

/** The hashes of all fields that are loaded when read. */
export function lazyHashes(record: object): readonly string[] {
  return Object.values((record as WithLazyFields)[lazyFields] ?? {});
}

/** The same as `{ ...below, ...above }`, but fields that are loaded when read stay so. */
export function overlaid<R extends object>(below: R, above: object): R {
  if (!hasLazyText(below) && !hasLazyText(above)) return { ...below, ...above };
  const copy = Object.create(Object.getPrototypeOf(below) as object | null) as R;
  const hashes: Record<string, string> = {};
  for (const key of new Set([...Object.keys(below), ...Object.keys(above)])) {
    const source = Object.hasOwn(above, key) ? above : below;
    Object.defineProperty(copy, key, Object.getOwnPropertyDescriptor(source, key)!);
    const sha256 = lazyHash(source, key);
    if (sha256 !== undefined) hashes[key] = sha256;
  }
  Object.defineProperty(copy, lazyFields, { value: Object.freeze(hashes) });
  return Object.freeze(copy);
}

/** Whether any field of a record is loaded when read. */
export function hasLazyText(record: object): boolean {
  return (record as WithLazyFields)[lazyFields] !== undefined;
}
