import { hostname } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isoTime, systemClock } from '../clock.ts';
import type { Clock } from '../clock.ts';
import { conflict } from '../errors.ts';
import type { PlannerError } from '../errors.ts';
import type { Disk } from './disk.ts';
import { DurableJson } from './durable-json.ts';

export interface RootLockOptions {
  readonly disk: Disk;
  /** The root's `local` directory, absolute; made when it is not there. */
  readonly directory: string;
  /** The URL that the service listens on, where it is known already. */
  readonly address?: string;
  readonly clock?: Clock;
  /** This machine's name. */
  readonly host?: string;
  /** How often the record says that its writer lives. Default 5,000. */
  readonly beatMilliseconds?: number;
}

/** `lock.json`: who holds the root. Times are ISO 8601. */
export interface LockHolder {
  readonly host: string;
  readonly pid: number;
  readonly address: string | null;
  readonly started_at: string;
  readonly beat: string;
}

/** A holder on another host that gave no sign for this long is taken for dead. */
const beatAgeMillisecondsMax = 20_000;
const sqliteBusy = 5;

/**
 * The right to write to a root: one process at a time. The lock itself is the kernel's (an exclusive transaction of SQLite on `local/lock`):
 * it holds while the process lives, stopped or not, and is free the moment it dies. Beside it `local/lock.json` says who holds it,
 * with a beat for machines that share the directory but not the kernel.
 *
 * No code of this process may open `local/lock` itself: closing that descriptor would let go of the lock (POSIX).
 */
export class RootLock {
  readonly #options: RootLockOptions;
  readonly #clock: Clock;
  readonly #file: DurableJson<LockHolder>;
  #holder: LockHolder;
  /** undefined while the lock is lost: the file was taken away and another process was faster. */
  #database: DatabaseSync | undefined;
  /** The inode of `local/lock` that is held. */
  #inode: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** Throws `conflict` naming the holder (`host`, `pid`, `address`) where there is one. */
  static acquire(options: RootLockOptions): RootLock {
    return new RootLock(options);
  }

  private constructor(options: RootLockOptions) {
    const { disk, directory, address, clock = systemClock, host = hostname(), beatMilliseconds = 5_000 } = options;
    this.#options = options;
    this.#clock = clock;
    this.#file = new DurableJson(disk, join(directory, 'lock.json'), { mode: 0o600 });
    const now = isoTime(clock.now());
    this.#holder = { host, pid: process.pid, address: address ?? null, started_at: now, beat: now };
    this.#database = this.#take();
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

  /** Locks anew after the file was taken away. Throws `conflict` where another process was faster. Does nothing while it is intact. */
  renew(): void {
    if (this.intact()) return;
    this.#letGo();
    this.#database = this.#take();
  }

  /** Lets go. Safe to call twice. */
  release(): void {
    if (this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    try {
      // A file that another process has written meanwhile (after `git clean`) is not ours to remove.
      if (this.intact()) this.#file.removeNow();
    } catch {
      // A disk that fails keeps nobody from letting go; the next holder writes the note anew.
    } finally {
      this.#letGo();
    }
  }

  #letGo(): void {
    this.#inode = undefined;
    this.#database?.close();
    this.#database = undefined;
  }

  #take(): DatabaseSync {
    const { disk, directory } = this.#options;
    disk.makeDirectory(directory);
    const path = join(directory, 'lock');
    const database = lockKernel(path) ?? refuse(this.#readHolder(), directory);
    try {
      this.#refuseDistantHolder(directory);
      this.#inode = disk.stat(path)?.ino;
      this.#file.writeNow(this.#holder);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  }

  /** Two kernels do not see each other's locks; the beat is all there is then. */
  #refuseDistantHolder(directory: string): void {
    const found = this.#readHolder();
    if (!found || found.host === this.#holder.host) return;
    const age = Math.abs(this.#clock.now() - Date.parse(found.beat));
    if (age < beatAgeMillisecondsMax) refuse(found, directory);
  }

  /** What was written by a process that died in the middle of it, or by somebody's hand, says nothing. */
  #readHolder(): LockHolder | null {
    try {
      return this.#file.readNow();
    } catch {
      return null;
    }
  }

  #beat(): void {
    try {
      if (!this.intact()) return;
      this.#holder = { ...this.#holder, beat: isoTime(this.#clock.now()) };
      this.#file.writeNow(this.#holder);
    } catch {
      // A full disk must not end the service that holds the lock; the kernel's lock stands without the beat.
    }
  }
}

function refuse(holder: LockHolder | null, directory: string): never {
  throw heldBy(holder, directory);
}

function heldBy(holder: LockHolder | null, directory: string): PlannerError {
  if (holder === null) {
    return conflict(
      `${directory} is in use by another Planner process that has not said yet who it is. Try again in a moment.`,
    );
  }
  const { host, pid, address } = holder;
  const remedy = address
    ? `Use it at ${address}, or stop it first (kill ${pid} on ${host}).`
    : `Wait until it has ended, or stop it first (kill ${pid} on ${host}).`;
  const message = `${directory} is in use by Planner, process ${pid} on ${host}${address ? `, ${address}` : ''}. ${remedy}`;
  return conflict(message, { host, pid, address });
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
