import { hostname } from 'node:os';
import { conflict, type PlannerError } from '../../../base/errors.ts';
import { errorCode, type Disk } from '../disk/disk.ts';

/** `lock.json`: the process that holds the root. Times are ISO 8601. */
export interface LockHolder {
  readonly host: string;
  readonly pid: number;
  readonly address: string | null;
  readonly started_at: string;
  readonly beat: string;
  /** A random name of this acquisition: two processes in different containers may have the same pid. */
  readonly instance?: string;
  /**
   * The boot id of the machine's kernel, which distinguishes its locks from those of other machines; null if unknown.
   */
  readonly boot?: string | null;
  /**
   * The start time of the process according to its kernel: a process with the same pid and another start time is
   * another process.
   */
  readonly process_start?: string | null;
  /** Where its pid is that of this process: a container has pids of its own. null if unknown. */
  readonly pid_namespace?: string | null;
  /**
   * The inode of the locked `local/lock`; null on a file system that may hide locks, such as FUSE: who gets the lock of
   * this file is alone with it.
   */
  readonly lock_inode?: number | null;
}

/** The data about the machine that a process runs on. */
export interface Machine {
  readonly host: string;
  readonly boot: string | null;
  readonly pid: number;
  readonly processStart: string | null;
  readonly pidNamespace: string | null;
}

/** This process on Linux; elsewhere only host name and pid. */
export function thisMachine(disk: Disk): Machine {
  const boot = textOf(disk, '/proc/sys/kernel/random/boot_id');
  const processStart = processOf(disk, 'self').start ?? null;
  return { host: hostname(), boot, pid: process.pid, processStart, pidNamespace: pidNamespaceOf(disk) };
}

/**
 * Returns whether a note was written under another kernel, whose locks this one does not see. The boot ids decide if
 * both are known, since containers of one machine have different host names and one kernel. Otherwise the host names
 * decide.
 */
export function isOnOtherMachine(found: LockHolder, { host, boot }: Machine): boolean {
  if (typeof found.boot === 'string' && boot !== null) return found.boot !== boot;
  return found.host !== host;
}

/**
 * Returns whether a note was written in a container that this process does not see, or outside of its own, on one
 * kernel: a pid says nothing about its process. False if one of both does not know where it is.
 */
export function isInOtherContainer(found: LockHolder, machine: Machine): boolean {
  const [theirs, ours] = [found.pid_namespace ?? null, machine.pidNamespace];
  return !isOnOtherMachine(found, machine) && theirs !== null && ours !== null && theirs !== ours;
}

/** Returns whether the kernel shows the process of a note under its pid. */
function isVisible(found: LockHolder, machine: Machine): boolean {
  return !isOnOtherMachine(found, machine) && !isInOtherContainer(found, machine);
}

/** Returns whether two notes are of the same acquisition. */
export function isSameHolder(a: LockHolder, b: LockHolder): boolean {
  return a.instance === b.instance && a.host === b.host && a.pid === b.pid && a.started_at === b.started_at;
}

/** Validates a note: null if it is invalid, since anyone can write the file. */
export function holderOf(value: unknown): LockHolder | null {
  const { host, pid, address, beat } = (value ?? {}) as Partial<LockHolder>;
  const sound =
    typeof host === 'string' &&
    typeof pid === 'number' &&
    typeof beat === 'string' &&
    (address === null || typeof address === 'string');
  return sound ? (value as LockHolder) : null;
}

/** Returns whether a holder is suspended according to this kernel: it does not respond to requests. */
export function isSuspended(disk: Disk, holder: LockHolder): boolean {
  return isVisible(holder, thisMachine(disk)) && stateOf(disk, holder) === 'stopped';
}

/** States of a process that has ended and whose parent has not read its exit status yet. */
const endedStates: readonly string[] = ['Z', 'X', 'x'];
/** The kernel's flag of an exiting process: it releases its locks a moment before it has ended. */
const exitingFlag = 4;

/**
 * Returns whether a note was written by another process of this machine that is still alive. Its lock may be invisible:
 * a FUSE file system (bindfs, sshfs, rclone, gocryptfs) does not pass locks on to the file system below it. A process
 * of another container is not visible in either way.
 */
export function isAlive(disk: Disk, holder: LockHolder, machine: Machine): boolean {
  const { pid, process_start: start } = holder;
  if (!isVisible(holder, machine) || typeof start !== 'string') return false;
  if (pid === machine.pid && start === machine.processStart) return false;
  const found = processOf(disk, String(pid));
  return found.start === start && !isEnded(found);
}

/** Returns whether a holder on this machine has ended or is exiting: the kernel releases its lock within moments. */
export function isEnding(disk: Disk, holder: LockHolder, machine: Machine): boolean {
  if (!isVisible(holder, machine)) return false;
  const found = processOf(disk, String(holder.pid));
  return found.start === holder.process_start && isEnded(found);
}

function isEnded({ state, flags }: ProcessState): boolean {
  return endedStates.includes(state) || (flags & exitingFlag) !== 0;
}

/** The error for a second process on the same machine: the holder, its state, the remedy. */
export function heldOnThisMachine(
  disk: Disk,
  directory: string,
  holder: LockHolder | null,
  machine: Machine,
): PlannerError {
  if (holder === null || isOnOtherMachine(holder, machine)) {
    return conflict(
      `${directory} is in use by another Planner process that has not identified itself yet. Try again in a moment.`,
      { address: null },
    );
  }
  const { host, pid, address } = holder;
  const state = isInOtherContainer(holder, machine) ? 'elsewhere' : stateOf(disk, holder);
  const who = `${state === 'elsewhere' ? `process ${pid} of another container` : `process ${pid}`} on ${host}`;
  const use = address === null ? 'Wait until it has ended' : `Use it at ${address}`;
  const remedies = {
    running: `${use}, or stop it first (kill ${pid} on ${host}).`,
    stopped: `It is suspended and still holds the root: resume it (kill -CONT ${pid}), or end it (kill -KILL ${pid}); no acknowledged change is lost.`,
    elsewhere: `${use}, or stop that container first.`,
  };
  return refused(directory, who, holder, remedies[state]);
}

/** The error while a holder on another machine, or in another container of this one, has a recent heartbeat. */
export function heldElsewhere(
  directory: string,
  holder: LockHolder,
  { ageMs, ageMsMax, machine }: { readonly ageMs: number; readonly ageMsMax: number; readonly machine: Machine },
): PlannerError {
  const { host, pid, address } = holder;
  const isContainer = !isOnOtherMachine(holder, machine);
  const [place, who, stop] = isContainer
    ? ['container', `process ${pid} of another container on ${host}`, 'stop that container']
    : ['machine', `process ${pid} on another machine, ${host}`, `stop it there (kill ${pid} on ${host})`];
  const use = address === null ? stop : `use it at ${address}, or ${stop}`;
  const [ago, left] = [Math.round(ageMs / 1000), Math.max(1, Math.ceil((ageMsMax - ageMs) / 1000))];
  const remedy = `Its last heartbeat was ${ago} s ago: ${use}. If that ${place} is gone, the root is free in ${left} s.`;
  return refused(directory, who, holder, remedy);
}

function refused(directory: string, who: string, { host, pid, address }: LockHolder, remedy: string): PlannerError {
  const message = `${directory} is in use by Planner, ${who}${address === null ? '' : `, ${address}`}. ${remedy}`;
  return conflict(message, { host, pid, address });
}

/** The holder's state according to this kernel. A process whose pid is not visible runs in another container. */
function stateOf(disk: Disk, { pid, process_start: start }: LockHolder): 'running' | 'stopped' | 'elsewhere' {
  if (typeof start !== 'string') return 'running';
  const found = processOf(disk, String(pid));
  if (found.start !== start) return 'elsewhere';
  return found.state === 'T' || found.state === 't' ? 'stopped' : 'running';
}

interface ProcessState {
  readonly state: string;
  readonly flags: number;
  /** undefined if there is no such process. */
  readonly start: string | undefined;
}

/**
 * State, flags and start time of a process: the first, seventh and twentieth field after the name, which may contain
 * brackets.
 */
function processOf(disk: Disk, pid: string): ProcessState {
  const text = textOf(disk, `/proc/${pid}/stat`) ?? '';
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', flags: Number(fields[6]), start: fields[19] };
}

/** The name of this process's pid namespace; null if the kernel has none. */
function pidNamespaceOf(disk: Disk): string | null {
  if (process.platform !== 'linux') return null;
  try {
    const fd = disk.open('/proc/self/ns/pid', 'r');
    try {
      return String(disk.statOpen(fd).ino);
    } finally {
      disk.close(fd);
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return null;
  }
}

/** Reads a file of the kernel; null if it does not exist. */
function textOf(disk: Disk, path: string): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return disk.read(path).toString().trim();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return null;
  }
}
