import type { Random } from '../support/random.ts';
import type { Loss } from '../support/torn-data.ts';
import { FileSystem } from './disk/file-system.ts';
import type { Node } from './disk/nodes.ts';
import { SimulatedTime } from './time.ts';
import type { Weather } from './weather.ts';

/** The errors that the disk returns for a while. */
export interface Fault {
  readonly code: 'ENOSPC' | 'EIO' | 'EACCES';
  /** The share of the calls concerned. */
  readonly share: number;
  /** True if reading fails, too. */
  readonly reads: boolean;
  /** Only calls for paths that contain this. */
  readonly below: string;
}

/** A step of another program, and the number of the call before which it is due. */
interface Awaited {
  readonly at: number;
  readonly run: () => void;
}

/** One machine: its time, its file system and its kernel. Processes on it come and go. */
export class SimulatedMachine {
  readonly time = new SimulatedTime();
  readonly files: FileSystem;
  readonly locks = new Set<Node>();
  readonly random: Random;
  readonly weather: Weather;
  fault: Fault | undefined;
  /** True if reading has failed since the last quiet point: the next periodic rescan reads the unread files. */
  hasFailedToRead = false;
  /** Called with the paths that a watch reports. */
  onReport: ((paths: readonly string[]) => void) | undefined;
  #boots = 1;
  /** Calls of the disk by the service, so far. */
  calls = 0;
  /** Actions of other programs at a future call of the disk. */
  readonly #awaited: Awaited[] = [];

  constructor(random: Random, weather: Weather) {
    this.random = random;
    this.weather = weather;
    this.files = new FileSystem({
      now: () => this.time.now(),
      monotonic: () => this.time.monotonic(),
      reusesInode: () => random.chance(weather.reusedInodes),
    });
  }

  get bootId(): string {
    return `boot-${this.#boots}`;
  }

  /** Runs another program's step before the service's `calls`-th next call of the disk, or when the time is over. */
  atCall(calls: number, msMax: number, run: () => void): void {
    const awaited = { at: this.calls + calls, run };
    this.#awaited.push(awaited);
    this.time.beside(msMax, () => this.#runAwaited(awaited));
  }

  /** Counts a call of the service's disk, which takes time. */
  onCall(): void {
    this.calls++;
    if (this.#awaited.length > 0)
      for (const awaited of this.#awaited.filter(({ at }) => at <= this.calls)) this.#runAwaited(awaited);
    this.time.pass(this.#tookMs());
  }

  #runAwaited(awaited: Awaited): void {
    const at = this.#awaited.indexOf(awaited);
    if (at === -1) return;
    this.#awaited.splice(at, 1);
    awaited.run();
  }

  #tookMs(): number {
    const drawn = this.random.next();
    if (drawn < this.weather.stuckCalls) return this.random.integer(100, 1000);
    if (drawn < this.weather.slowCalls) return this.random.integer(1, 40);
    return 0.001 + drawn * 0.02;
  }

  /** The machine loses its power and starts again. Every process has ended before. */
  cutPower(loss: Loss): void {
    this.files.cut(loss, this.random);
    this.locks.clear();
    this.#boots++;
  }
}
