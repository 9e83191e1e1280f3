import { join } from 'node:path';
import { replaceFile } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';
import type { TaskWorktree } from './worktree.ts';

/** A task at work, noted before its agent begins: the next run finds the tasks of a process that died. */
export interface SlotNote extends TaskWorktree {
  readonly pid: number;
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

  /** `cache`: Planner's directory in the user's cache. */
  constructor(disk: Disk, cache: string) {
    this.#disk = disk;
    this.#place = join(cache, 'slots');
  }

  write(note: SlotNote): void {
    this.#disk.makeDirectory(this.#place, 0o700);
    replaceFile(this.#disk, this.#path(note), Buffer.from(`${JSON.stringify(note)}\n`), { mode: 0o600 });
  }

  remove(note: SlotNote): void {
    const path = this.#path(note);
    if (this.#disk.stat(path) !== undefined) this.#disk.remove(path);
  }

  /** The notes of processes that died, about this repository. */
  left(top: string): readonly SlotNote[] {
    if (this.#disk.stat(this.#place) === undefined) return [];
    return this.#disk.list(this.#place).flatMap(({ name }) => {
      const note = noteIn(this.#disk.readIfExists(join(this.#place, name)));
      return note !== undefined && note.top === top && !isAlive(note.pid) ? [note] : [];
    });
  }

  #path({ run_id: id }: SlotNote): string {
    return join(this.#place, `${id}.json`);
  }
}

function noteIn(bytes: Buffer | undefined): SlotNote | undefined {
  try {
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as SlotNote);
  } catch {
    // Another process is removing it, or a power cut tore it.
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
