import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isoTime, systemClock } from '../../../clock.ts';
import type { Clock } from '../../../clock.ts';
import { PlannerError } from '../../../errors.ts';
import { randomName } from '../../../ids.ts';
import { errorCode, openFlags } from '../disk/disk.ts';
import type { Disk } from '../disk/disk.ts';
import { DurableJson } from '../disk/durable-json.ts';
import {
  heldElsewhere,
  heldHere,
  holderOf,
  isAlive,
  isDistant,
  isEnding,
  isSameHolder,
  thisMachine,
} from './lock-holder.ts';
import type { LockHolder, Machine } from './lock-holder.ts';
import { closeToOthers } from '../disk/private-local.ts';
import { privateDirectoryMode, privateFileMode } from '../disk/root-files.ts';

export interface RootLockOptions {
  readonly disk: Disk;
  /** The root's `local` directory, absolute; made when it is not there. */
  readonly directory: string;
  /** The URL that the service listens on, where it is known already. */
  readonly address?: string;
  readonly clock?: Clock;
  /** What is another one for tests: this machine's name, and its kernel's. */
  readonly machine?: Partial<Machine>;
  /** How often the record says that its writer lives. Default 5,000. */
  readonly beatMilliseconds?: number;
}

/** A holder on another machine that gave no sign for this long is taken for dead. */
const beatAgeMillisecondsMax = 20_000;
/** How long a lock that is about to be released is waited for. */
const releaseMsMax = 1_000;
const pollMs = 10;
const sqliteBusy = 5;

/**
 * The right to write to a root: one process at a time. The lock itself is the kernel's (an exclusive transaction of SQLite on `local/lock`):
 * it holds while the process lives, stopped or not, and is free the moment it dies, in whatever container of the machine. Beside it
 * `local/lock.json` says who holds it, with a beat for machines that share the directory but not the kernel: a fresh beat refuses, an old one
 * is taken over, and who finds another's note in the place of its own has lost the root (`takenBy`). A note whose process is alive on this
 * machine refuses too, whatever the kernel says of the lock.
 *
 * No code of this process may open `local/lock` itself: closing that descriptor would let go of the lock (POSIX).
 */
export class RootLock {
  readonly #options: RootLockOptions;
  readonly #clock: Clock;
  readonly #machine: Machine;
  readonly #file: DurableJson<LockHolder>;
  #holder: LockHolder;
  /** Whose note was replaced: a holder on another machine that gave no sign any more. */
  tookOver: LockHolder | undefined;
  /** undefined while the lock is lost: the file was taken away and another process was faster. */
  #database: DatabaseSync | undefined;
  /** The inode of `local/lock` that is held. */
  #inode: number | undefined;
  readonly #timer: NodeJS.Timeout;

  /** Throws `conflict` naming the holder (`host`, `pid`, `address`) where there is one. */
  static acquire(options: RootLockOptions): RootLock {
    return new RootLock(options);
  }

  private constructor(options: RootLockOptions) {
    const { disk, directory, address, clock = systemClock, machine = {}, beatMilliseconds = 5_000 } = options;
    this.#options = options;
    this.#clock = clock;
    this.#machine = { ...thisMachine(disk), ...machine };
    this.#file = new DurableJson(disk, this.#notePath(), { mode: 0o600 });
    const now = isoTime(clock.now());
    const { host, pid, boot, processStart: process_start } = this.#machine;
    const who = { host, pid, address: address ?? null, started_at: now, beat: now };
    this.#holder = { ...who, instance: randomName(), boot, process_start };
    this.#database = this.#take(directory);
    this.#timer = setInterval(() => this.#beat(), beatMilliseconds);
    this.#timer.unref();
  }

  get holder(): LockHolder {
    return this.#holder;
  }

  /** Tells the next one who asks where this service listens. */
  setAddress(address: string): void {
    this.#holder = { ...this.#holder, address };
    this.#file.writeNow(this.#holder);
  }

  /** False once the locked file was taken away (`git clean -fdx`): then another process could lock a new one. */
  intact(): boolean {
    const path = join(this.#options.directory, 'lock');
    return this.#inode !== undefined && this.#options.disk.stat(path)?.ino === this.#inode;
  }

  /** Who wrote another note over this one: a process under another kernel, which took this one for dead or began at the same moment. */
  takenBy(): LockHolder | undefined {
    const found = this.#readHolder();
    return found === null || isSameHolder(found, this.#holder) ? undefined : found;
  }

  /** Locks anew after the file was taken away. Throws `conflict` where another process was faster. Does nothing while it is intact. */
  renew(): void {
    if (this.intact()) return;
    this.#letGo();
    try {
      this.#database = this.#take(this.#options.directory);
    } catch (error) {
      if (error instanceof PlannerError) this.#removeOwnNote();
      throw error;
    }
  }

  /** Lets go. Safe to call twice. */
  release(): void {
    clearInterval(this.#timer);
    try {
      // A note that another process has written meanwhile (after `git clean`, on another machine) is not ours to remove.
      this.#removeOwnNote();
    } catch {
      // A disk that fails keeps nobody from letting go; the next holder writes the note anew.
    } finally {
      this.#letGo();
    }
  }

  /** Nobody is kept from a root by the note of a process that has lost it, or let it go. */
  #removeOwnNote(): void {
    const found = this.#readHolder();
    if (found !== null && isSameHolder(found, this.#holder)) this.#file.removeNow();
  }

  #notePath(): string {
    return join(this.#options.directory, 'lock.json');
  }

  #letGo(): void {
    this.#inode = undefined;
    this.#database?.close();
    this.#database = undefined;
  }

  #take(directory: string): DatabaseSync {
    const { disk } = this.#options;
    disk.makeDirectory(directory, privateDirectoryMode);
    const path = join(directory, 'lock');
    this.#makeFile(path);
    const database = this.#lockOnceFree(path);
    if (database === undefined) throw heldHere(disk, directory, this.#readHolder(), this.#machine);
    try {
      this.#refuseLivingHolder(directory);
      this.#refuseDistantHolder(directory);
      closeToOthers(disk, directory);
      this.#inode = disk.stat(path)?.ino;
      this.#file.writeNow(this.#holder);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  }

  /** A process that was killed has ended a moment before the kernel has released its locks. */
  #lockOnceFree(path: string): DatabaseSync | undefined {
    const { disk } = this.#options;
    const isReleasedSoon = (): boolean => {
      const found = this.#readHolder();
      return found !== null && isEnding(disk, found, this.#machine);
    };
    let database = lockKernel(path);
    for (let waitedMs = 0; database === undefined && waitedMs < releaseMsMax && isReleasedSoon(); waitedMs += pollMs) {
      sleep(pollMs);
      database = lockKernel(path);
    }
    return database;
  }

  /** SQLite would make it readable for all, and its own journal after it. One that is there is not opened: that would let go of its lock. */
  #makeFile(path: string): void {
    const { disk } = this.#options;
    try {
      disk.close(disk.open(path, openFlags.create, privateFileMode));
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }

  /**
   * The kernel granted the lock, but the file system may hide the lock of another process. One that has just lost the root, because its lock
   * file was removed, removes its note within moments.
   */
  #refuseLivingHolder(directory: string): void {
    const { disk } = this.#options;
    for (let waitedMs = 0; ; waitedMs += pollMs) {
      const found = this.#readHolder();
      if (found === null || !isAlive(disk, found, this.#machine)) return;
      if (waitedMs >= releaseMsMax) throw heldHere(disk, directory, found, this.#machine);
      sleep(pollMs);
    }
  }

  /** Two kernels do not see each other's locks; the beat is all there is then. */
  #refuseDistantHolder(directory: string): void {
    const found = this.#readHolder();
    if (found === null || !isDistant(found, this.#machine)) return;
    const ageMs = this.#ageOf(found);
    if (ageMs < beatAgeMillisecondsMax)
      throw heldElsewhere(directory, found, { ageMs, ageMsMax: beatAgeMillisecondsMax });
    this.tookOver = found;
  }

  /**
   * How long ago a holder gave its last sign: by its clock and ours, or by the one clock that stamps the files of a shared directory,
   * whichever says less. Clocks that differ by a minute make no living holder look dead.
   */
  #ageOf({ beat }: LockHolder): number {
    const byClocks = Math.abs(this.#clock.now() - Date.parse(beat));
    const ages = [byClocks, this.#ageByFile()].filter((age) => !Number.isNaN(age));
    return Math.min(...ages);
  }

  /** NaN if the files do not say. */
  #ageByFile(): number {
    const { disk, directory } = this.#options;
    const probe = join(directory, 'lock.probe');
    try {
      disk.close(disk.open(probe, 'w', 0o600));
      const [now = NaN, then = NaN] = [probe, this.#notePath()].map((path) => disk.stat(path)?.mtimeMs);
      disk.remove(probe);
      return Math.abs(now - then);
    } catch {
      // The clocks have to do.
      return NaN;
    }
  }

  /** What was written by a process that died in the middle of it, or by somebody's hand, says nothing. */
  #readHolder(): LockHolder | null {
    try {
      return holderOf(this.#file.readNow());
    } catch {
      return null;
    }
  }

  #beat(): void {
    try {
      if (!this.intact() || this.takenBy() !== undefined) return;
      this.#holder = { ...this.#holder, beat: isoTime(this.#clock.now()) };
      this.#file.writeNow(this.#holder);
    } catch {
      // A full disk must not end the service that holds the lock; the kernel's lock stands without the beat.
    }
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** The held database, or undefined where another process holds it. Nothing is ever written to it. */
function lockKernel(path: string): DatabaseSync | undefined {
  const database = new (loadSqlite().DatabaseSync)(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: unknown }).errcode === sqliteBusy) return undefined;
    throw error;
  }
}

/** node:sqlite calls itself experimental on older versions of Node, once, while it is loaded; every other warning passes. */
function loadSqlite(): typeof import('node:sqlite') {
  const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  const former = Object.getOwnPropertyDescriptor(process, 'emitWarning')!;
  process.emitWarning = (...args: unknown[]) => {
    const experimental = args[1] === 'ExperimentalWarning' && String(args[0]).includes('SQLite');
    if (!experimental) emitWarning(...args);
  };
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    Object.defineProperty(process, 'emitWarning', former);
  }
}
