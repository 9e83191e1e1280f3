import { CheckpointWriter } from '../../src/store/files/checkpoint/checkpoint-writer.ts';
import { createRenderer } from '../../src/store/files/checkpoint/render.ts';
import type { Ports } from '../../src/store/files/projects/ports.ts';
import { reading as readingCalls } from '../support/faulty-disk.ts';
import type { Random } from '../support/random.ts';
import { failure } from './disk/nodes.ts';
import { simulatedDisk } from './disk/simulated-disk.ts';
import type { DiskCall, SimulatedDisk } from './disk/simulated-disk.ts';
import type { SimulatedMachine } from './machine.ts';
import { ProcessClock } from './time.ts';
import { SimulatedWatch } from './watch.ts';
import { SimulatedWriter } from './writer.ts';

/** Thrown by every call of the disk after the process has ended. */
export class Ended extends Error {
  constructor() {
    super('The process has ended.');
    this.name = 'Ended';
  }
}

const reading: ReadonlySet<DiskCall> = new Set<DiskCall>([...readingCalls, 'readRange']);
/** Calls that do not fail for want of space. */
const roomless: ReadonlySet<DiskCall> = new Set<DiskCall>([
  ...reading,
  'remove',
  'removeDirectoryIfEmpty',
  'removeTree',
  'truncate',
  'setTimes',
  'setMode',
  'sync',
  'dataSync',
  'dataSyncAsync',
  'syncDirectory',
  'syncDirectoryAsync',
]);
const unfailing: ReadonlySet<DiskCall> = new Set<DiskCall>(['close', 'lock']);

/** The information for the simulation about the calls of a process. */
export interface DiskObserver {
  readonly onCall: (call: DiskCall, path: string) => void;
}

/** A process of the service, which can end at any call of its disk: its clock, its disk, its threads. */
export class ServiceProcess {
  readonly disk: SimulatedDisk;
  readonly clock: ProcessClock;
  readonly ports: Ports;
  readonly #machine: SimulatedMachine;
  readonly #random: Random;
  readonly #observer: DiskObserver;
  #watch: SimulatedWatch | undefined;
  isAlive = true;
  /** A call of its disk has failed. */
  hasFailed = false;

  /** `withoutSync`: syncing has no effect. */
  constructor(machine: SimulatedMachine, observer: DiskObserver, withoutSync = false) {
    this.#machine = machine;
    this.#random = machine.random;
    this.#observer = observer;
    this.clock = new ProcessClock(machine.time, () => this.isAlive);
    this.disk = simulatedDisk(machine.files, {
      before: (call, path) => this.#before(call, path),
      later: (call, path, steps) => this.#later(call, path, steps),
      monotonic: () => machine.time.monotonic(),
      space: () => ({ freeBytes: 1e12, totalBytes: 2e12 }),
      bootId: () => machine.bootId,
      locks: machine.locks,
    });
    const none = (): void => undefined;
    if (withoutSync)
      Object.assign(this.disk, {
        sync: none,
        dataSync: none,
        syncDirectory: none,
        dataSyncAsync: () => Promise.resolve(),
      });
    this.ports = {
      openPort: ({ collections }, { root }) => {
        const shapes = Object.fromEntries(collections.map(({ name, shape }) => [name, shape]));
        const { disk, clock } = this;
        const writer = new CheckpointWriter({ disk, root, clock, renderer: createRenderer(shapes) });
        return new SimulatedWriter(writer, { machine, disk, clock, root, isAlive: () => this.isAlive });
      },
      openWatch: (_options, directory, depths, listener) => {
        this.#watch = new SimulatedWatch(machine, { directory, depths }, listener, () => this.isAlive);
        return Promise.resolve(this.#watch);
      },
    };
  }

  /** Returns whether the watch has lost nothing since this was called last. */
  wasWatchReliable(): boolean {
    return this.#watch?.wasReliable() ?? true;
  }

  /** The process ends, whatever it is doing. */
  kill(): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    void this.#watch?.close();
    this.disk.exit();
  }

  #before(call: DiskCall, path: string): void {
    this.#throwIfEnded();
    this.#machine.onCall();
    this.#throwIfEnded();
    this.#fail(call, path);
    this.#observer.onCall(call, path);
  }

  #throwIfEnded(): void {
    if (!this.isAlive) throw new Ended();
  }

  #fail(call: DiskCall, path: string): void {
    const { fault } = this.#machine;
    if (fault === undefined || unfailing.has(call) || !path.includes(fault.below)) return;
    if (fault.code === 'ENOSPC' ? roomless.has(call) : reading.has(call) && !fault.reads) return;
    if (!this.#random.chance(fault.share)) return;
    this.#machine.hasFailedToRead ||= reading.has(call);
    this.hasFailed = true;
    throw failure(fault.code, call, path);
  }

  /** A call in the thread pool: half of a write arrives before the other. */
  #later<T>(call: DiskCall, path: string, steps: readonly (() => T)[]): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const next = (index: number): void => {
      // A process that has ended learns nothing more.
      if (!this.isAlive) return;
      try {
        this.#fail(call, path);
        const result = steps[index]!();
        if (index + 1 < steps.length) this.#machine.time.beside(this.#tookMs(), () => next(index + 1));
        else this.#machine.time.after(this.#random.next() * 0.1, () => this.isAlive && resolve(result));
      } catch (error) {
        this.#machine.time.after(0, () => this.isAlive && reject(error));
      }
    };
    this.#machine.time.beside(this.#tookMs(), () => next(0));
    return promise;
  }

  #tookMs(): number {
    return this.#random.chance(this.#machine.weather.slowCalls) ? this.#random.integer(5, 200) : this.#random.next();
  }
}
