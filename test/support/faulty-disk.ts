import { writeSync } from 'node:fs';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';

/**
 * The error of the test disk once it has stopped: as if the process had died in the middle of a call, later calls do
 * not happen.
 */
export class Stopped extends Error {
  constructor(call: string) {
    super(`The disk has stopped (${call}).`);
    this.name = 'Stopped';
  }
}

/** The calls that change something on disk, in the disk's own words. */
const mutating = [
  'makeDirectory',
  'rename',
  'link',
  'remove',
  'removeDirectoryIfEmpty',
  'removeTree',
  'open',
  'write',
  'truncate',
  'sync',
  'dataSync',
  'syncDirectory',
  'setTimes',
  'writeAsync',
  'writeAtAsync',
  'dataSyncAsync',
  'syncDirectoryAsync',
] as const satisfies readonly (keyof Disk)[];

/** The calls that a disk without room refuses. */
const needsRoom: ReadonlySet<DiskCall> = new Set([
  'makeDirectory',
  'link',
  'open',
  'write',
  'writeAsync',
  'writeAtAsync',
]);

/** Calls that change nothing. */
export const reading = [
  'stat',
  'list',
  'entries',
  'names',
  'read',
  'readIfExists',
  'readSame',
  'readAt',
  'readAtAsync',
  'readAll',
  'statOpen',
] as const satisfies readonly (keyof Disk)[];

export type DiskCall = keyof Disk;

/** The fault at one counted call. */
export type Fault =
  /** The call fails, once, and changes nothing. */
  | { readonly at: number; readonly kind: 'error'; readonly code: 'EIO' | 'ENOSPC' | 'EACCES' }
  /** A write writes half of its bytes, then fails with ENOSPC; any other call fails with it. */
  | { readonly at: number; readonly kind: 'short' }
  /** A write writes zeros in place of its last block, then fails with EIO; any other call fails with it. */
  | { readonly at: number; readonly kind: 'torn' }
  /** A write arrives whole, then fails with EIO, and so does the call after it: the disk's state is unknown. */
  | { readonly at: number; readonly kind: 'late' }
  /** From here on every call that changes something fails until `arm`: the disk has no room left. Removing goes on. */
  | { readonly at: number; readonly kind: 'full' }
  /**
   * The call and every later one, reads included, throw `Stopped`. `torn`: the part that a write has written by then.
   */
  | { readonly at: number; readonly kind: 'stop'; readonly torn?: Torn };

/** How much of a write arrives: half of it, zeros in place of its last block, or all, which only a power cut then distinguishes from a complete write. */
export type Torn = 'half' | 'last block' | 'whole';

const blockBytes = 512;

export interface FaultyDiskOptions {
  /** Calls count from 1. Without one the disk only counts. */
  readonly fault?: Fault;
  /** Count reads too. */
  readonly countReads?: boolean;
  readonly disk?: Disk;
}

/** A disk around the real one that counts calls and fails at the one chosen. */
export interface FaultyDisk extends Disk {
  /** Calls counted so far. */
  readonly calls: number;
  /** How often each call came, counted or not. */
  readonly counts: ReadonlyMap<DiskCall, number>;
  /** True once the fault has happened. */
  readonly fired: boolean;
  /** True once nothing happens any more. */
  readonly stopped: boolean;
  /** Sets the next fault; the count starts at zero. */
  arm(fault: Fault | undefined): void;
  /** Closes open files and lets nothing more be done, as the end of a process would. */
  closeAll(): void;
}

type AnyCall = (...args: never[]) => unknown;

export function faultyDisk(options: FaultyDiskOptions = {}): FaultyDisk {
  return new Faults(options).disk;
}

class Faults {
  readonly disk: FaultyDisk;
  readonly #below: Disk;
  readonly #counts = new Map<DiskCall, number>();
  readonly #open = new Set<number>();
  readonly #counted: ReadonlySet<DiskCall>;
  #fault: Fault | undefined;
  #calls = 0;
  #fired = false;
  #stopped = false;

  constructor({ fault, countReads = false, disk = nodeDisk }: FaultyDiskOptions) {
    this.#below = disk;
    this.#fault = fault;
    this.#counted = new Set<DiskCall>([...mutating, ...(countReads ? reading : [])]);
    const wrapped = Object.keys(disk).map((name) => [name, this.#wrap(name as DiskCall)]);
    this.disk = Object.create(Object.fromEntries(wrapped) as Disk, {
      calls: { get: () => this.#calls },
      counts: { get: () => this.#counts },
      fired: { get: () => this.#fired },
      stopped: { get: () => this.#stopped },
      arm: { value: (next: Fault | undefined) => this.#arm(next) },
      closeAll: { value: () => this.#closeAll() },
    }) as FaultyDisk;
  }

  #arm(fault: Fault | undefined): void {
    this.#fault = fault;
    this.#calls = 0;
    this.#fired = false;
    this.#stopped = false;
  }

  #wrap(name: DiskCall): AnyCall {
    const later = name.endsWith('Later') || name === 'writeAtAsync' || name === 'readAtAsync';
    return (...args) => {
      try {
        return this.#call(name, args);
      } catch (error) {
        if (later) return Promise.reject<void>(error instanceof Error ? error : new Error(String(error)));
        throw error;
      }
    };
  }

  #call(name: DiskCall, args: never[]): unknown {
    if (this.#stopped) throw new Stopped(name);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    const counts = this.#counted.has(name === 'open' && opensToRead(args) ? 'read' : name);
    const fault = counts && this.#isDue(++this.#calls, name) ? this.#fault : undefined;
    if (fault) this.#fail(name, args, fault);
    const calls: unknown = this.#below;
    const result = (calls as Record<DiskCall, AnyCall>)[name](...args);
    if (name === 'open') this.#open.add(result as number);
    if (name === 'close') this.#open.delete(args[0] as unknown as number);
    return result;
  }

  #isDue(call: number, name: DiskCall): boolean {
    if (this.#fault?.kind === 'full') return call >= this.#fault.at && needsRoom.has(name);
    return call === this.#fault?.at || (this.#fault?.kind === 'late' && call === this.#fault.at + 1);
  }

  #fail(name: DiskCall, args: never[], fault: Fault): never {
    this.#fired = true;
    const torn = tornBy(fault);
    if (torn !== undefined && (name === 'write' || name === 'writeAsync' || name === 'writeAtAsync')) {
      const [fd, data, position = null] = args as unknown as [number, Uint8Array, number?];
      // Past the disk below: incomplete data is not synced there.
      const arrives = pieceOf(data, torn);
      writeSync(fd, arrives, 0, arrives.length, position);
    }
    if (fault.kind === 'stop') {
      this.#stopped = true;
      throw new Stopped(name);
    }
    const code = codes[fault.kind] ?? (fault as { readonly code: string }).code;
    throw Object.assign(new Error(`${code}: made by the test, ${name}`), { code });
  }

  #closeAll(): void {
    this.#stopped = true;
    for (const fd of this.#open) this.#below.close(fd);
    this.#open.clear();
  }
}

const codes: { readonly [kind in Fault['kind']]?: string } = {
  short: 'ENOSPC',
  full: 'ENOSPC',
  torn: 'EIO',
  late: 'EIO',
};

const arrivals: { readonly [kind in Fault['kind']]?: Torn } = { short: 'half', torn: 'last block', late: 'whole' };

function tornBy(fault: Fault): Torn | undefined {
  if (fault.kind === 'stop') return fault.torn;
  return arrivals[fault.kind];
}

/** The part of the data that arrives. */
function pieceOf(data: Uint8Array, torn: Torn): Uint8Array {
  if (torn === 'half') return data.subarray(0, data.length >> 1);
  const piece = Uint8Array.from(data);
  if (torn === 'last block') piece.fill(0, Math.floor(Math.max(0, data.length - 1) / blockBytes) * blockBytes);
  return piece;
}

/** Read-only is the access mode 0. */
function opensToRead([, flags]: readonly unknown[]): boolean {
  return typeof flags === 'number' ? (flags & 3) === 0 : flags === 'r';
}
