import { writeSync } from 'node:fs';
import { nodeDisk } from '../../src/store/disk.ts';
import type { Disk } from '../../src/store/disk.ts';

/** What the test disk throws once it has stopped: as if the process had died in the middle of a call, none of those after it happens. */
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
  'writeLater',
  'writeLaterAt',
  'dataSyncLater',
  'syncDirectoryLater',
] as const satisfies readonly (keyof Disk)[];

const reading = [
  'stat',
  'list',
  'read',
  'readIfThere',
  'readAt',
  'readAll',
  'statOpen',
] as const satisfies readonly (keyof Disk)[];

export type DiskCall = keyof Disk;

/** What happens at one counted call. */
export type Fault =
  /** It fails, once, and changes nothing. */
  | { readonly at: number; readonly kind: 'error'; readonly code: 'EIO' | 'ENOSPC' | 'EACCES' }
  /** A write writes half of its bytes, then fails with ENOSPC; any other call fails with it. */
  | { readonly at: number; readonly kind: 'short' }
  /** It and every later call, reads included, throw `Stopped`. `torn`: a write has written half of its bytes by then. */
  | { readonly at: number; readonly kind: 'stop'; readonly torn?: boolean };

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
  /** Whether the fault has happened. */
  readonly fired: boolean;
  /** Sets the next fault; counting begins anew. */
  arm(fault: Fault | undefined): void;
  /** Closes what is still open, as the end of a process would. */
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
    const later = name.endsWith('Later') || name === 'writeLaterAt';
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
    const fault = counts && ++this.#calls === this.#fault?.at ? this.#fault : undefined;
    if (fault) this.#fail(name, args, fault);
    const calls: unknown = this.#below;
    const result = (calls as Record<DiskCall, AnyCall>)[name](...args);
    if (name === 'open') this.#open.add(result as number);
    if (name === 'close') this.#open.delete(args[0] as unknown as number);
    return result;
  }

  #fail(name: DiskCall, args: never[], fault: Fault): never {
    this.#fired = true;
    const halves = fault.kind === 'short' || (fault.kind === 'stop' && fault.torn === true);
    if (halves && (name === 'write' || name === 'writeLater')) {
      const [fd, data] = args as unknown as [number, Uint8Array];
      this.#below.write(fd, data.subarray(0, data.length >> 1));
    }
    if (halves && name === 'writeLaterAt') {
      const [fd, data, position] = args as unknown as [number, Uint8Array, number];
      writeSync(fd, data, 0, data.length >> 1, position);
    }
    if (fault.kind === 'stop') {
      this.#stopped = true;
      throw new Stopped(name);
    }
    const code = fault.kind === 'short' ? 'ENOSPC' : fault.code;
    throw Object.assign(new Error(`${code}: made by the test, ${name}`), { code });
  }

  #closeAll(): void {
    for (const fd of this.#open) this.#below.close(fd);
    this.#open.clear();
  }
}

/** Read-only is the access mode 0. */
function opensToRead([, flags]: readonly unknown[]): boolean {
  return typeof flags === 'number' ? (flags & 3) === 0 : flags === 'r';
}
