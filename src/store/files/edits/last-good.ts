import { hash } from 'node:crypto';
import type { Disk } from '../disk/disk.ts';
import { freeze } from '../../record/plain.ts';
import type { StoredRecord } from '../../record/record.ts';
import { replaceFile } from '../disk/replace-file.ts';

/**
 * The last good versions of records whose files are unreadable, stored in `local/good` so that they are served after a
 * restart too.
 */
export class LastGood {
  readonly #disk: Disk;
  readonly #directory: string;

  constructor(disk: Disk, local: string) {
    this.#disk = disk;
    this.#directory = `${local}/good`;
  }

  read(code: string, id: string): StoredRecord | undefined {
    const bytes = this.#disk.readIfExists(this.#path(code, id));
    if (bytes === undefined) return undefined;
    try {
      return freeze(JSON.parse(bytes.toString('utf8')) as StoredRecord);
    } catch {
      // A torn write: treated as missing.
      return undefined;
    }
  }

  write(code: string, record: StoredRecord): void {
    const path = this.#path(code, record.id);
    this.#disk.makeDirectory(this.#directory);
    replaceFile(this.#disk, path, Buffer.from(JSON.stringify(record)), { mode: 0o600 });
  }

  remove(code: string, id: string): void {
    const path = this.#path(code, id);
    if (this.#disk.stat(path) !== undefined) this.#disk.remove(path);
  }

  /** Ids may differ in case alone, file names must not: the name is a hash. */
  #path(code: string, id: string): string {
    return `${this.#directory}/${code}-${hash('sha256', id, 'hex').slice(0, 24)}.json`;
  }
}
