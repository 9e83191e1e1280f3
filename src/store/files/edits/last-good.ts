import { idPrefixes } from '../../../base/ids.ts';
import type { Disk } from '../disk/disk.ts';
import type { FileState } from '../project/file-table.ts';
import { freeze } from '../../record/plain.ts';
import type { StoredRecord } from '../../record/record.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { sha256Of } from '../disk/sha256.ts';

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
    return this.#parse(this.#path(code, id));
  }

  #parse(path: string): StoredRecord | undefined {
    const bytes = this.#disk.readIfExists(path);
    if (bytes === undefined) return undefined;
    try {
      return freeze(JSON.parse(bytes.toString('utf8')) as StoredRecord);
    } catch {
      // A torn write: treated as missing.
      return undefined;
    }
  }

  /** The ids of projects with this code that have such a version. */
  projects(code: string): readonly string[] {
    return this.#disk.list(this.#directory).flatMap(({ name }) => {
      if (!name.startsWith(`${code}-`)) return [];
      const record = this.#parse(`${this.#directory}/${name}`);
      const isOwn =
        record?.id.startsWith(`${idPrefixes.project}_`) === true && this.#path(code, record.id).endsWith(name);
      return isOwn ? [record.id] : [];
    });
  }

  /** Stores the version that a file had before it became unreadable, until it is readable again. */
  update(code: string, former: FileState | undefined, state: FileState): void {
    const isStored = former?.unreadable !== undefined && former.id === state.id;
    if (state.unreadable !== undefined && !isStored && state.record !== undefined) this.write(code, state.record);
    if (state.unreadable === undefined && former?.unreadable !== undefined) this.remove(code, state.id);
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
    return `${this.#directory}/${code}-${sha256Of(id).slice(0, 24)}.json`;
  }
}
