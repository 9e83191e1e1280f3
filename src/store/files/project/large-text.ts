import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { replaceFile } from '../disk/replace-file.ts';

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
