import { dirname } from 'node:path';
import { Low } from 'lowdb';
import type { Adapter } from 'lowdb';
import { limits } from '../../../base/limits.ts';
import type { Disk } from './disk.ts';
import { replaceFile } from './replace-file.ts';

export interface DurableJsonOptions {
  /** Permissions of the file, less the umask. Default 0o666. */
  readonly mode?: number;
  /** Where temporary files are created: on the same file system. Default: the file's directory. */
  readonly temporaryDirectory?: string;
}

/** A file with unexpected content. The file is not changed. */
export class UnreadableFileError extends Error {
  readonly path: string;

  constructor(path: string, reason: string) {
    super(`${path} cannot be read: ${reason}. Correct or remove the file.`);
    this.name = 'UnreadableFileError';
    this.path = path;
  }
}

/**
 * lowdb's adapter for one JSON file: a write is durable when it resolves, and a crash leaves the old content or the new
 * one. `read` returns null if there is no file and throws `UnreadableFileError` if it is not JSON.
 */
export class DurableJson<T> implements Adapter<T> {
  readonly #disk: Disk;
  readonly #path: string;
  readonly #options: DurableJsonOptions;

  constructor(disk: Disk, path: string, options: DurableJsonOptions = {}) {
    this.#disk = disk;
    this.#path = path;
    this.#options = options;
  }

  read(): Promise<T | null> {
    return new Promise((resolve) => resolve(this.readNow()));
  }

  write(data: T): Promise<void> {
    return new Promise((resolve) => resolve(this.writeNow(data)));
  }

  /** Reads synchronously. */
  readNow(): T | null {
    const size = this.#disk.stat(this.#path)?.size ?? 0;
    if (size > limits.settingsFileBytesMax)
      throw new UnreadableFileError(
        this.#path,
        `it has ${size} bytes, at most ${limits.settingsFileBytesMax} are read`,
      );
    const bytes = this.#disk.readIfExists(this.#path);
    if (bytes === undefined) return null;
    try {
      // An editor may have begun the file with a byte order mark.
      return JSON.parse(bytes.toString().replace(/^\ufeff/, '')) as T;
    } catch (error) {
      throw new UnreadableFileError(this.#path, `it is not JSON (${(error as Error).message})`);
    }
  }

  writeNow(data: T): void {
    this.#disk.makeDirectory(dirname(this.#path));
    replaceFile(this.#disk, this.#path, Buffer.from(`${JSON.stringify(data, null, 2)}\n`), this.#options);
  }

  /** Removes the file durably, if it exists. */
  removeNow(): void {
    if (this.#disk.stat(this.#path) === undefined) return;
    this.#disk.remove(this.#path);
    this.#disk.syncDirectory(dirname(this.#path));
  }
}

/**
 * lowdb's `Low` over a durable file, already read: `data` is the file's content, or the default if there is no file.
 */
export async function openJson<T>(
  disk: Disk,
  path: string,
  defaultData: T,
  options: DurableJsonOptions = {},
): Promise<Low<T>> {
  const low = new Low<T>(new DurableJson<T>(disk, path, options), defaultData);
  await low.read();
  return low;
}
