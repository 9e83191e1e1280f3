import { join } from 'node:path';
import { isoTime, systemClock } from '../../../base/clock.ts';
import type { Clock, Timer } from '../../../base/clock.ts';
import { PlannerError } from '../../../base/errors.ts';
import { randomName } from '../../../base/ids.ts';
import { errorCode, openFlags } from '../disk/disk.ts';
import type { Disk, FileLock } from '../disk/disk.ts';
import { DurableJson } from '../disk/durable-json.ts';
import {
  heldElsewhere,
  heldOnThisMachine,
  holderOf,
  isAlive,
  isInOtherContainer,
  isOnOtherMachine,
  isEnding,
  isSameHolder,
  thisMachine,
} from './lock-holder.ts';
import type { LockHolder, Machine } from './lock-holder.ts';
import { silentFileSystems } from '../edits/watch-mode.ts';
import { restrictPermissions } from '../disk/restrict-permissions.ts';
import { privateDirectoryMode, privateFileMode } from '../disk/root-files.ts';

export interface RootLockOptions {
  readonly disk: Disk;
  /** The root's `local` directory, absolute; created if missing. */
  readonly directory: string;
  /** The URL that the service listens on, if already known. */
  readonly address?: string;
  readonly clock?: Clock;
  /** Overridden in tests: this machine's name and boot id. */
  readonly machine?: Partial<Machine>;
}

const heartbeatMs = 5_000;
/** A holder on another machine without a heartbeat for this long counts as dead. */
const heartbeatAgeMsMax = 20_000;
/** How long to wait for a lock that is about to be released. */
const releaseMsMax = 1_000;
const pollMs = 10;

/**
 * The exclusive lock of a root. The lock itself is the kernel's (an exclusive SQLite transaction on `local/lock`): it
 * is held while the process lives, suspended or not, and released when it ends, in any container of the machine.
 * `local/lock.json` names the holder and has a heartbeat for machines that share the directory but not the kernel: a
 * recent heartbeat rejects others, a stale one is taken over, and a process that finds another's note in place of its
 * own has lost the root (`takenBy`). A note whose process is alive on this machine rejects others too, whatever the
 * state of the kernel's lock. The process of another container is not visible: there its heartbeat decides, unless the
 * lock that it noted is the one that was granted.
 *
 * No code of this process may open `local/lock` itself: closing that descriptor would release the lock (POSIX).
 */
export class RootLock {
  readonly #options: RootLockOptions;
  readonly #clock: Clock;
  readonly #machine: Machine;
  readonly #file: DurableJson<LockHolder>;
  #holder: LockHolder;
  /** The holder whose note was replaced: one on another machine, or in another container, with a stale heartbeat. */
  takenOverFrom: LockHolder | undefined;
  /** undefined while the lock is lost: the file was removed and another process was faster. */
  #lock: FileLock | undefined;
  /** The inode of the locked `local/lock`. */
  #inode: number | undefined;
  readonly #timer: Timer;
  #isReleased = false;

  /** Throws `conflict` with the holder (`host`, `pid`, `address`) if there is one. */
  static acquire(options: RootLockOptions): RootLock {
    return new RootLock(options);
  }

  private constructor(options: RootLockOptions) {
    const { disk, directory, address, clock = systemClock, machine = {} } = options;
    this.#options = options;
    this.#clock = clock;
    this.#machine = { ...thisMachine(disk), ...machine };
    this.#file = new DurableJson(disk, this.#notePath(), { mode: 0o600 });
    const now = isoTime(clock.now());
    const { host, pid, boot, processStart: process_start, pidNamespace: pid_namespace } = this.#machine;
    const who = { host, pid, address: address ?? null, started_at: now, beat: now };
    this.#holder = { ...who, instance: randomName(), boot, process_start, pid_namespace };
    this.#lock = this.#acquire(directory);
    this.#timer = clock.every(heartbeatMs, () => this.#writeHeartbeat()).unref();
  }

  get holder(): LockHolder {
    return this.#holder;
  }

  /** Publishes the service's address to processes that find the root locked. */
  setAddress(address: string): void {
    this.#requireHeld();
    this.#holder = { ...this.#holder, address };
    this.#file.writeNow(this.#holder);
  }

  /** Returns false if the locked file was removed (`git clean -fdx`): another process could lock a new one. */
  intact(): boolean {
    const path = join(this.#options.directory, 'lock');
    return this.#inode !== undefined && this.#options.disk.stat(path)?.ino === this.#inode;
  }

  /**
   * The holder that replaced this one's note: a process under another kernel that considered this one dead or started
   * at the same moment.
   */
  takenBy(): LockHolder | undefined {
    const found = this.#readHolder();
    return found === null || isSameHolder(found, this.#holder) ? undefined : found;
  }

  /**
   * Locks the root again after the file was removed. Throws `conflict` if another process was faster. Does nothing
   * while the lock is intact.
   */
  relock(): void {
    this.#requireHeld();
    if (this.intact()) return;
    this.#close();
    try {
      this.#lock = this.#acquire(this.#options.directory);
    } catch (error) {
      if (error instanceof PlannerError) this.#removeOwnNote();
      throw error;
    }
  }

  /** Releases the lock. Safe to call twice. */
  release(): void {
    this.#isReleased = true;
    this.#timer.cancel();
    try {
      // A note that another process has written meanwhile (after `git clean`, on another machine) must not be removed.
      this.#removeOwnNote();
    } catch {
      // A failing disk must not prevent the release; the next holder replaces the note.
    } finally {
      this.#close();
    }
  }

  #requireHeld(): void {
    if (this.#isReleased) throw new Error('The lock of this root was released.');
  }

  /** The note of a process that lost or released the root must not lock others out. */
  #removeOwnNote(): void {
    const found = this.#readHolder();
    if (found !== null && isSameHolder(found, this.#holder)) this.#file.removeNow();
  }

  #notePath(): string {
    return join(this.#options.directory, 'lock.json');
  }

  #close(): void {
    this.#inode = undefined;
    this.#lock?.close();
    this.#lock = undefined;
  }

  #acquire(directory: string): FileLock {
    const { disk } = this.#options;
    disk.makeDirectory(directory, privateDirectoryMode);
    const path = join(directory, 'lock');
    this.#makeFile(path);
    const lock = this.#lockWhenFree(path);
    if (lock === undefined) throw heldOnThisMachine(disk, directory, this.#readHolder(), this.#machine);
    try {
      const inode = disk.stat(path)?.ino;
      const lock_inode = this.#hidesLocks(directory) ? null : (inode ?? null);
      this.#throwIfHolderAlive(directory);
      this.#throwIfHeldElsewhere(directory, lock_inode);
      restrictPermissions(disk, directory);
      this.#inode = inode;
      this.#holder = { ...this.#holder, lock_inode };
      this.#file.writeNow(this.#holder);
    } catch (error) {
      lock.close();
      throw error;
    }
    return lock;
  }

  /** A killed process ends a moment before the kernel releases its locks. */
  #lockWhenFree(path: string): FileLock | undefined {
    const { disk } = this.#options;
    const isReleasedSoon = (): boolean => {
      const found = this.#readHolder();
      return found !== null && isEnding(disk, found, this.#machine);
    };
    let lock = disk.lock(path);
    for (let waitedMs = 0; lock === undefined && waitedMs < releaseMsMax && isReleasedSoon(); waitedMs += pollMs) {
      this.#clock.sleep(pollMs);
      lock = disk.lock(path);
    }
    return lock;
  }

  /**
   * SQLite would create it, and its journal, readable for all. An existing file is not opened: closing it would release
   * its lock.
   */
  #makeFile(path: string): void {
    const { disk } = this.#options;
    try {
      disk.close(disk.open(path, openFlags.create, privateFileMode));
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }

  /**
   * The kernel granted the lock, but the file system may hide another process's lock. A process that has just lost the
   * root, because its lock file was removed, removes its note within moments.
   */
  #throwIfHolderAlive(directory: string): void {
    const { disk } = this.#options;
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      const found = this.#readHolder();
      if (found === null || !isAlive(disk, found, this.#machine)) return;
      if (waitedMs >= releaseMsMax) throw heldOnThisMachine(disk, directory, found, this.#machine);
      this.#clock.sleep(pollMs);
    }
  }

  /** A file system that other machines, or programs, have a part in may grant a lock that another process has. */
  #hidesLocks(directory: string): boolean {
    const type = this.#options.disk.fileSystemType(directory);
    return type !== undefined && silentFileSystems.has(type);
  }

  /**
   * Kernels do not see each other's locks, and a file system may hide that of another container; only the heartbeat shows
   * such a holder. `lockInode`: of the file whose lock was granted here; null if that proves nothing.
   */
  #throwIfHeldElsewhere(directory: string, lockInode: number | null): void {
    const machine = this.#machine;
    const found = this.#readHolder();
    if (found === null) return;
    const isHidden = isInOtherContainer(found, machine) && (lockInode === null || found.lock_inode !== lockInode);
    if (!isHidden && !isOnOtherMachine(found, machine)) return;
    const ageMs = this.#ageOf(found);
    if (ageMs < heartbeatAgeMsMax)
      throw heldElsewhere(directory, found, { ageMs, ageMsMax: heartbeatAgeMsMax, machine });
    this.takenOverFrom = found;
  }

  /**
   * The age of a holder's last heartbeat: by its clock and ours, or by the one clock that stamps the files of a shared
   * directory, whichever is smaller. So clocks that differ by a minute do not make a living holder look dead.
   */
  #ageOf({ beat }: LockHolder): number {
    const byClocks = Math.abs(this.#clock.now() - Date.parse(beat));
    const ages = [byClocks, this.#ageByFile()].filter((age) => !Number.isNaN(age));
    return Math.min(...ages);
  }

  /** NaN if the files do not show it. */
  #ageByFile(): number {
    const { disk, directory } = this.#options;
    const probe = join(directory, 'lock.probe');
    try {
      disk.close(disk.open(probe, 'w', 0o600));
      const [now = NaN, then = NaN] = [probe, this.#notePath()].map((path) => disk.stat(path)?.mtimeMs);
      disk.remove(probe);
      return Math.abs(now - then);
    } catch {
      // Without that time, only the clocks can be compared.
      return NaN;
    }
  }

  /** A torn or manually edited note is ignored. */
  #readHolder(): LockHolder | null {
    try {
      return holderOf(this.#file.readNow());
    } catch {
      return null;
    }
  }

  #writeHeartbeat(): void {
    try {
      if (!this.intact() || this.takenBy() !== undefined) return;
      this.#holder = { ...this.#holder, beat: isoTime(this.#clock.now()) };
      this.#file.writeNow(this.#holder);
    } catch {
      // A full disk must not end the service that holds the lock; the kernel's lock does not depend on the heartbeat.
    }
  }
}
