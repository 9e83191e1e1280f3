import { join } from 'node:path';
import { replaceFile } from '../../store/index.ts';
import type { Disk } from '../../store/index.ts';
import type { Mark } from '../../platform/marked-processes.ts';
import type { Green } from './merging.ts';
import type { TaskWorktree } from './worktree.ts';

/** The variable that marks the processes of a slot. */
export const slotMark = ({ slot }: Pick<SlotNote, 'slot'>): Mark => ({ name: 'PLANNER_SLOT', value: slot });

type FileLock = NonNullable<ReturnType<Disk['lock']>>;

/**
 * A task at work, noted before its claim and before each step that another process could not find out: the next run finds the tasks of a
 * process that died.
 */
export interface SlotNote extends TaskWorktree {
  /** The name of the note, which no other one has. */
  readonly slot: string;
  /** The top of the repository. */
  readonly top: string;
  readonly project_id: string;
  readonly task_id: string;
  readonly agent_ref: string;
  /** Absent until the run has started. */
  readonly run_id?: string;
  /** Present while no process works on it, because a person has not answered. */
  readonly parked?: Parked;
  /** Present once the work is over, and only its end in the plan is missing. */
  readonly settles?: Settles | undefined;
}

/** How the work on a task ended. */
export interface Settles {
  /** The commits of the branch. */
  readonly commits: readonly string[];
  /** Absent without a gate. */
  readonly green?: Green;
}

/** A question without an answer in time. */
export interface Parked {
  readonly question: string;
  /** The agent that held the task before, if the change of its assignee was not made. */
  readonly former_ref: string;
  /** The conversation with the agent, if it may be taken up again. */
  readonly session_id?: string | undefined;
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
    const path = this.#path(note);
    if (!this.#locks.has(note.slot)) {
      this.#disk.makeDirectory(this.#place, 0o700);
      this.#locks.set(note.slot, this.#disk.lock(lockOf(path)));
    }
    replaceFile(this.#disk, path, Buffer.from(`${JSON.stringify(note)}\n`), { mode: 0o600 });
  }

  /** Removes a note that this process has written or taken over. */
  remove(note: SlotNote): void {
    const path = this.#path(note);
    if (this.#disk.stat(path) !== undefined) this.#disk.remove(path);
    this.release(note);
    if (this.#disk.stat(lockOf(path)) !== undefined) this.#disk.remove(lockOf(path));
  }

  /** Leaves a note to other processes. */
  release({ slot }: SlotNote): void {
    this.#locks.get(slot)?.close();
    this.#locks.delete(slot);
  }

  /** Takes over the notes that no process holds, about a repository. */
  takeOver(top: string): readonly SlotNote[] {
    if (this.#disk.stat(this.#place) === undefined) return [];
    return this.#disk.list(this.#place).flatMap(({ name }) => {
      const path = join(this.#place, name);
      if (!name.endsWith('.json') || this.#noteAt(path)?.top !== top) return [];
      // The kernel releases the lock when the process ends, in whatever container or namespace that is.
      const lock = this.#disk.lock(lockOf(path));
      if (lock === undefined) return [];
      // Its holder may have changed or removed it just before.
      const note = this.#noteAt(path);
      if (note === undefined) {
        lock.close();
        return [];
      }
      this.#locks.set(note.slot, lock);
      return [note];
    });
  }

  /** A note, unless another process is removing it, or a power cut tore it. The notes of former versions are named by their run. */
  #noteAt(path: string): SlotNote | undefined {
    const bytes = this.#disk.readIfExists(path);
    try {
      if (bytes === undefined) return undefined;
      const note = JSON.parse(bytes.toString()) as SlotNote;
      return { ...note, slot: note.slot ?? note.run_id };
    } catch {
      return undefined;
    }
  }

  #path({ slot }: SlotNote): string {
    return join(this.#place, `${slot}.json`);
  }
}

const lockOf = (path: string): string => `${path}.lock`;
