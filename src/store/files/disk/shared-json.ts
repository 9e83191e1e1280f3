import { dirname, join } from 'node:path';
import { systemClock } from '../../../base/clock.ts';
import { PlannerError } from '../../../base/errors.ts';
import type { Disk } from './disk.ts';
import { DurableJson, UnreadableFileError } from './durable-json.ts';
import { linkedPart } from './linked-path.ts';

/** How long a change waits for other processes; each holds the lock for milliseconds. */
const waitMsMax = 2_000;
const pollMs = 5;

/**
 * A JSON file that several processes change. Each change runs while no other process has the lock of the file, which the kernel releases if the
 * process ends; readers need no lock, since the file is replaced as a whole. Errors are `conflict` if the file is not JSON or a link, and
 * `unavailable` if another process does not release the lock.
 */
export class SharedJson<T> {
  readonly #disk: Disk;
  readonly #base: string;
  readonly #name: string;
  readonly #path: string;
  readonly #file: DurableJson<T>;
  /** The content for a state of the file. */
  #known: { readonly stamp: string; readonly data: T | null } | undefined;

  /** `base`: an absolute directory, below which links are not followed. `name`: the path below it, with `/`; its directory is created. */
  constructor(disk: Disk, base: string, name: string) {
    this.#disk = disk;
    this.#base = base;
    this.#name = name;
    this.#path = join(base, name);
    this.#file = new DurableJson(disk, this.#path);
  }

  exists(): boolean {
    return this.#disk.stat(this.#path) !== undefined;
  }

  /** Null if there is no file. Reads it only if it has changed since. */
  readNow(): T | null {
    const stat = this.#disk.stat(this.#path);
    const stamp = stat === undefined ? '' : [stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join(' ');
    if (this.#known?.stamp !== stamp) this.#known = { stamp, data: this.#read() };
    return this.#known.data;
  }

  /**
   * Replaces the content by the result of `change`, durably, unless that is undefined. Blocks this thread during it.
   */
  changeNow(change: (data: T | null) => T | undefined): void {
    this.#refuseLinks();
    this.#disk.makeDirectory(dirname(this.#path));
    const lock = this.#lock();
    try {
      const changed = change(this.#read());
      if (changed === undefined) return;
      this.#removeLeftovers();
      this.#file.writeNow(changed);
    } finally {
      lock.close();
    }
  }

  #refuseLinks(): void {
    const link = linkedPart(this.#disk, this.#base, this.#name);
    if (link === undefined) return;
    const path = join(this.#base, link);
    throw new PlannerError('conflict', `${path} is a symbolic link, which is not followed. Remove it.`, { path });
  }

  #read(): T | null {
    this.#refuseLinks();
    try {
      return this.#file.readNow();
    } catch (error) {
      if (error instanceof UnreadableFileError) throw new PlannerError('conflict', error.message, { path: error.path });
      throw error;
    }
  }

  #lock(): { close(): void } {
    const began = systemClock.now();
    for (;;) {
      const lock = this.#disk.lock(`${this.#path}.lock`);
      if (lock !== undefined) return lock;
      if (Math.abs(systemClock.now() - began) >= waitMsMax)
        throw new PlannerError('unavailable', `Another process holds ${this.#path}.lock. Try again.`, {
          path: `${this.#path}.lock`,
        });
      systemClock.sleep(pollMs);
    }
  }

  /** Removes temporary files of killed processes: the holder of the lock is the only writer. */
  #removeLeftovers(): void {
    const directory = dirname(this.#path);
    for (const { name } of this.#disk.list(directory))
      if (/^\.\d+-\d+\.tmp$/.test(name)) this.#disk.remove(`${directory}/${name}`);
  }
}
