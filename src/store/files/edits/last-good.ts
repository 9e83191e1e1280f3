import { hash } from 'node:crypto';
import type { Disk } from '../disk/disk.ts';
import { freeze } from '../../record/plain.ts';
import type { StoredRecord } from '../../record/record.ts';
import { replaceFile } from '../disk/replace-file.ts';

/** The last good values of records whose files are unreadable, kept in `local/good` so that they are served after a restart too. */
export class LastGood {
  readonly #disk: Disk;
  readonly #directory: string;

  constructor(disk: Disk, local: string) {
    this.#disk = disk;
    this.#directory = `${local}/good`;
  }

  read(code: string, id: string): StoredRecord | undefined {
    const bytes = this.#disk.readIfThere(this.#path(code, id));
    if (bytes === undefined) return undefined;
    try {
      return freeze(JSON.parse(bytes.toString('utf8')) as StoredRecord);
    } catch {
      // Debris of a power cut: as good as none.
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

  /** Ids may differ in case alone, files may not: the name is a hash. */
  #path(code: string, id: string): string {
    return `${this.#directory}/${code}-${hash('sha256', id, 'hex').slice(0, 24)}.json`;
  }
}
