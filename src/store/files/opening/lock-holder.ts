import { hostname } from 'node:os';
import { conflict, type PlannerError } from '../../../errors.ts';
import { errorCode, type Disk } from '../disk/disk.ts';

/** `lock.json`: who holds the root. Times are ISO 8601. */
export interface LockHolder {
  readonly host: string;
  readonly pid: number;
  readonly address: string | null;
  readonly started_at: string;
  readonly beat: string;
  /** A random name of this holding: two processes may bear one pid, each in its own container. */
  readonly instance?: string;
  /** The running kernel of the machine, by which its own locks are told from those of others; null where it does not say. */
  readonly boot?: string | null;
  /** When the process began, as its kernel counts: a process of the same pid that began at another time is another one. */
  readonly process_start?: string | null;
}

/** What a process can say of the machine that it runs on. */
export interface Machine {
  readonly host: string;
  readonly boot: string | null;
  readonly pid: number;
  readonly processStart: string | null;
}

/** This process, where Linux tells; elsewhere its host's name and its pid. */
export function thisMachine(disk: Disk): Machine {
  const boot = textOf(disk, '/proc/sys/kernel/random/boot_id');
  return { host: hostname(), boot, pid: process.pid, processStart: processOf(disk, 'self').start ?? null };
}

/**
 * Whether a note was left by a process under another kernel, whose locks this one does not see. The kernel's own name decides where both
 * say it: containers of one machine have different host names and one kernel. Else the host's name does.
 */
export function isDistant(found: LockHolder, { host, boot }: Machine): boolean {
  if (typeof found.boot === 'string' && boot !== null) return found.boot !== boot;
  return found.host !== host;
}

/** Whether a note is that of one and the same holding. */
export function isSameHolder(a: LockHolder, b: LockHolder): boolean {
  return a.instance === b.instance && a.host === b.host && a.pid === b.pid && a.started_at === b.started_at;
}

/** A note as it was read, or null for what is none: anybody can write the file. */
export function holderOf(value: unknown): LockHolder | null {
  const { host, pid, address, beat } = (value ?? {}) as Partial<LockHolder>;
  const sound =
    typeof host === 'string' &&
    typeof pid === 'number' &&
    typeof beat === 'string' &&
    (address === null || typeof address === 'string');
  return sound ? (value as LockHolder) : null;
}

/** Whether a holder is stopped, as this kernel tells: nothing that it is asked is answered. */
export function isSuspended(disk: Disk, holder: LockHolder): boolean {
  return !isDistant(holder, thisMachine(disk)) && stateOf(disk, holder) === 'stopped';
}

/** States of a process that has ended and whose parent has not asked for its exit status yet. */
const endedStates: readonly string[] = ['Z', 'X', 'x'];
/** The kernel's flag of a process that is exiting: it lets go of its locks a moment before it has ended. */
const exitingFlag = 4;

/**
 * Whether a note was left by another process of this machine that is still alive. Its lock need not be seen: a FUSE file system (bindfs, sshfs,
 * rclone, gocryptfs) does not pass locks on to the file system below it. A process of another container is not seen either way; there the
 * kernel's lock decides.
 */
export function isAlive(disk: Disk, holder: LockHolder, machine: Machine): boolean {
  const { pid, process_start: start } = holder;
  if (isDistant(holder, machine) || typeof start !== 'string') return false;
  if (pid === machine.pid && start === machine.processStart) return false;
  const found = processOf(disk, String(pid));
  return found.start === start && !isEnded(found);
}

/** Whether a holder on this machine has ended or is exiting: the kernel releases its lock within moments. */
export function isEnding(disk: Disk, holder: LockHolder, machine: Machine): boolean {
  if (isDistant(holder, machine)) return false;
  const found = processOf(disk, String(holder.pid));
  return found.start === holder.process_start && isEnded(found);
}

function isEnded({ state, flags }: ProcessState): boolean {
  return endedStates.includes(state) || (flags & exitingFlag) !== 0;
}

/** The refusal for who comes second on the same machine: who holds the root, how it is, what to do. */
export function heldHere(disk: Disk, directory: string, holder: LockHolder | null, machine: Machine): PlannerError {
  if (holder === null || isDistant(holder, machine)) {
    return conflict(
      `${directory} is in use by another Planner process that has not said yet who it is. Try again in a moment.`,
    );
  }
  const { host, pid, address } = holder;
  const state = stateOf(disk, holder);
  const who = `${state === 'elsewhere' ? `process ${pid} of another container` : `process ${pid}`} on ${host}`;
  const use = address === null ? 'Wait until it has ended' : `Use it at ${address}`;
  const remedies = {
    running: `${use}, or stop it first (kill ${pid} on ${host}).`,
    stopped: `It is suspended and holds the root all the same: let it go on (kill -CONT ${pid}), or end it (kill -KILL ${pid}); nothing that it acknowledged is lost.`,
    elsewhere: `${use}, or stop that container first.`,
  };
  return refused(directory, who, holder, remedies[state]);
}

/** The refusal while a holder on another machine gives signs of life. */
export function heldElsewhere(
  directory: string,
  holder: LockHolder,
  { ageMs, ageMsMax }: { readonly ageMs: number; readonly ageMsMax: number },
): PlannerError {
  const { host, pid, address } = holder;
  const use =
    address === null
      ? `stop it there (kill ${pid} on ${host})`
      : `use it at ${address}, or stop it there (kill ${pid} on ${host})`;
  const [ago, left] = [Math.round(ageMs / 1000), Math.max(1, Math.ceil((ageMsMax - ageMs) / 1000))];
  const remedy = `It gave a sign of life ${ago} s ago: ${use}. If that machine is gone, the root is free in ${left} s.`;
  return refused(directory, `process ${pid} on another machine, ${host}`, holder, remedy);
}

function refused(directory: string, who: string, { host, pid, address }: LockHolder, remedy: string): PlannerError {
  const message = `${directory} is in use by Planner, ${who}${address === null ? '' : `, ${address}`}. ${remedy}`;
  return conflict(message, { host, pid, address });
}

/** How the holder is, as this kernel tells. A process that is not seen under its pid lives in another container. */
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

/** State, flags and start of a process: behind the name, which may hold anything in brackets, the first, seventh and twentieth field. */
function processOf(disk: Disk, pid: string): ProcessState {
  const text = textOf(disk, `/proc/${pid}/stat`) ?? '';
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', flags: Number(fields[6]), start: fields[19] };
}

/** What the kernel says in a file of its own; null where it has none. */
function textOf(disk: Disk, path: string): string | null {
  if (process.platform !== 'linux') return null;
  try {
    return disk.read(path).toString().trim();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return null;
  }
}
