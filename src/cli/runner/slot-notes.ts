import { join } from 'node:path';
import { replaceFile } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';
import type { TaskWorktree } from './worktree.ts';

type FileLock = NonNullable<ReturnType<Disk['lock']>>;

/** A task at work, noted before its agent begins: the next run finds the tasks of a process that died. */
export interface SlotNote extends TaskWorktree {
  /** The top of the repository. */
  readonly top: string;
  readonly project_id: string;
  readonly task_id: string;
  readonly run_id: string;
  readonly agent_ref: string;
}

/** The notes of this user's runners, one file each. */
export class SlotNotes {
  readonly #disk: Disk;
  readonly #place: string;
  readonly #locks = new Map<string, FileLock | undefined>();

  /** `cache`: Planner's directory in the user's cache. */
  constructor(disk: Disk, cache: string) {
    this.#disk = disk;
    this.#place = join(cache, 'slots');
  }

  /** Writes a note, and holds its lock: another process cannot take it over before this one ends. */
  write(note: SlotNote): void {
    this.#disk.makeDirectory(this.#place, 0o700);
    const path = this.#path(note);
    this.#locks.set(note.run_id, this.#disk.lock(lockOf(path)));
    replaceFile(this.#disk, path, Buffer.from(`${JSON.stringify(note)}\n`), { mode: 0o600 });
  }

  /** Removes a note that this process has written or taken over. */
  remove(note: SlotNote): void {
    const path = this.#path(note);
    if (this.#disk.stat(path) !== undefined) this.#disk.remove(path);
    this.#locks.get(note.run_id)?.close();
    this.#locks.delete(note.run_id);
    if (this.#disk.stat(lockOf(path)) !== undefined) this.#disk.remove(lockOf(path));
  }

  /** Takes over the notes of processes that ended, about a repository. */
  takeOver(top: string): readonly SlotNote[] {
    if (this.#disk.stat(this.#place) === undefined) return [];
    return this.#disk.list(this.#place).flatMap(({ name }) => {
      const path = join(this.#place, name);
      const note = name.endsWith('.json') ? noteIn(this.#disk.readIfExists(path)) : undefined;
      if (note?.top !== top) return [];
      // The kernel releases the lock when the process ends, in whatever container or namespace that is.
      const lock = this.#disk.lock(lockOf(path));
      if (lock === undefined) return [];
      this.#locks.set(note.run_id, lock);
      return [note];
    });
  }

  #path({ run_id: id }: SlotNote): string {
    return join(this.#place, `${id}.json`);
  }
}

const lockOf = (path: string): string => `${path}.lock`;

function noteIn(bytes: Buffer | undefined): SlotNote | undefined {
  try {
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as SlotNote);
  } catch {
    // Another process is removing it, or a power cut tore it.
    return undefined;
  }
}
