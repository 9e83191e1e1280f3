import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { readIfExistsAsync } from '../disk/read-async.ts';
import { sha256Of } from '../disk/sha256.ts';
import { LookUps } from '../../record/look-ups.ts';
import type { TextSource } from '../../record/lazy-text.ts';

/** References a text that is stored in a file. */
export interface TextReference {
  readonly sha256: string;
  /** Size of its UTF-8 form. */
  readonly bytes: number;
}

/**
 * Texts too large to hold in memory, each in a file named by its hash. They are copies: the record's file or the
 * journal is the source, so nothing is synced, and a copy is used only after its hash is verified.
 */
export class TextStore implements TextSource {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #lookUps: LookUps;
  /** Hashes that this process has written or verified. */
  readonly #verified = new Set<string>();

  /** `directory` is the root's `local`, absolute. */
  constructor(disk: Disk, directory: string, lookUps = new LookUps()) {
    this.#disk = disk;
    this.#lookUps = lookUps;
    this.#directory = join(directory, 'texts');
  }

  /** Stores a text. The same text is stored once. */
  put(text: string): TextReference {
    const bytes = Buffer.from(text);
    const sha256 = sha256Of(bytes);
    if (!this.#has(sha256)) {
      const path = this.#path(sha256);
      this.#disk.makeDirectory(join(path, '..'));
      replaceFile(this.#disk, path, bytes, { durable: false });
      this.#verified.add(sha256);
    }
    return { sha256, bytes: bytes.length };
  }

  /** True if no text was ever stored. */
  get isEmpty(): boolean {
    return this.#disk.list(this.#directory).length === 0;
  }

  /** Returns whether `get` would return a text. */
  has(sha256: string): boolean {
    return this.#has(sha256);
  }

  /** Throws if the text is missing; within a rule, `Needed` before it is fetched. */
  get(sha256: string): string {
    return this.#lookUps.get(`text ${sha256}`, {
      now: () => this.#load(sha256)?.toString() ?? this.#missing(sha256),
      later: async () => {
        const text = this.#verify(sha256, await readIfExistsAsync(this.#disk, this.#path(sha256)))?.toString();
        return text === undefined ? [] : [[`text ${sha256}`, text]];
      },
    });
  }

  async load(sha256: string): Promise<string> {
    const bytes = this.#verify(sha256, await readIfExistsAsync(this.#disk, this.#path(sha256)));
    return bytes?.toString() ?? this.#missing(sha256);
  }

  #missing(sha256: string): never {
    throw new Error(`The text ${sha256} is missing in ${this.#directory}: it was removed while the store was open.`);
  }

  /** Removes every text that is not in `keep`. Returns how many were removed. */
  sweep(keep: ReadonlySet<string>): number {
    let removed = 0;
    for (const { name: prefix, kind } of this.#disk.list(this.#directory)) {
      if (kind !== 'directory') continue;
      for (const { name } of this.#disk.list(join(this.#directory, prefix))) {
        if (keep.has(name)) continue;
        this.#disk.remove(join(this.#directory, prefix, name));
        this.#verified.delete(name);
        removed++;
      }
    }
    return removed;
  }

  #has(sha256: string): boolean {
    // A person may clean `local` at any time: check that a verified file still exists.
    return this.#verified.has(sha256)
      ? this.#disk.stat(this.#path(sha256)) !== undefined
      : this.#load(sha256) !== undefined;
  }

  #load(sha256: string): Buffer | undefined {
    return this.#verify(sha256, this.#disk.readIfExists(this.#path(sha256)));
  }

  #verify(sha256: string, bytes: Buffer | undefined): Buffer | undefined {
    if (bytes === undefined) return undefined;
    if (!this.#verified.has(sha256) && sha256Of(bytes) !== sha256) return undefined;
    this.#verified.add(sha256);
    return bytes;
  }

  #path(sha256: string): string {
    return join(this.#directory, sha256.slice(0, 2), sha256);
  }
}
