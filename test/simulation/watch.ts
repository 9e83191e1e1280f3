import type { DirectoryDepths } from '../../src/store/record/directory-depths.ts';
import { mayHoldRecords } from '../../src/store/record/directory-depths.ts';
import type { WatchListener, WatchPort, WatchThreadOptions } from '../../src/store/files/edits/watch-port.ts';
import type { NameEvent } from './disk/file-system.ts';
import type { Directory } from './disk/nodes.ts';
import type { SimulatedMachine } from './machine.ts';

/** How long it takes to find a new directory, at most. */
const discoveryMsMax = 20;

/**
 * A watch of the simulated file system, with the habits of inotify and chokidar: directories are watched one by one, a
 * new one some time after it was made; the first event of each is reported as a change, later ones are counted. The
 * weather acts on events: they are lost, repeated, reordered, or overflow the queue; the watch ends.
 */
export class SimulatedWatch implements WatchPort {
  readonly #machine: SimulatedMachine;
  readonly #directory: string;
  readonly #depths: DirectoryDepths;
  readonly #listener: WatchListener;
  readonly #isAlive: () => boolean;
  /** Watched directories with the paths by which they were found. */
  readonly #watched = new Map<Directory, string>();
  readonly #receivedFrom = new Set<string>();
  #counted = new Map<string, number>();
  #changed = new Set<string>();
  #unsubscribe: (() => void) | undefined;
  #isReporting = false;
  #isEnded = false;
  #isReliable = true;
  /** A directory is not watched until the watch is made again. */
  #missesDirectory = false;

  constructor(
    machine: SimulatedMachine,
    { directory, depths }: WatchThreadOptions,
    listener: WatchListener,
    isAlive: () => boolean,
  ) {
    this.#machine = machine;
    this.#directory = directory;
    this.#depths = depths;
    this.#listener = listener;
    this.#isAlive = isAlive;
  }

  async start(): Promise<void> {
    await this.#pause(discoveryMsMax);
    if (!this.#isAlive()) return;
    this.#unsubscribe = this.#machine.files.subscribe((event) => this.#onEvent(event));
    this.#isEnded = false;
    this.#missesDirectory = false;
    const top = this.#machine.files.lookUp(this.#directory);
    if (top?.kind === 'directory') this.#add(top, this.#directory, () => undefined);
    await this.#pause(discoveryMsMax);
  }

  async restart(): Promise<void> {
    this.#stop();
    await this.start();
  }

  async settle(): Promise<void> {
    await this.#pause(this.#machine.weather.eventMsMax);
    this.#report();
  }

  close(): Promise<void> {
    this.#stop();
    return Promise.resolve();
  }

  wasReliable(): boolean {
    const was = this.#isReliable && !this.#missesDirectory;
    this.#isReliable = true;
    return was;
  }

  #stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    // The report that was scheduled is not made.
    this.#isReporting = false;
    this.#watched.clear();
    this.#receivedFrom.clear();
    this.#counted.clear();
    this.#changed.clear();
  }

  #pause(msMax: number): Promise<void> {
    const ms = this.#machine.random.next() * msMax;
    return new Promise((resolve) => void this.#machine.time.after(ms, () => this.#isAlive() && resolve()));
  }

  /** Watches a directory and its subdirectories, and names the files found. */
  #add(directory: Directory, path: string, onFile: (path: string) => void): void {
    const relative = path.slice(this.#directory.length + 1);
    const inside = relative.indexOf('/');
    if (inside !== -1 && !mayHoldRecords(this.#depths, relative.slice(inside + 1))) return;
    this.#watched.set(directory, path);
    for (const [name, node] of directory.entries) {
      if (isIgnored(name)) continue;
      if (node.kind === 'directory') this.#add(node, `${path}/${name}`, onFile);
      else onFile(`${path}/${name}`);
    }
  }

  #onEvent({ directory, name, kind }: NameEvent): void {
    const at = this.#watched.get(directory);
    if (at === undefined || this.#isEnded || isIgnored(name)) return;
    const path = `${at}/${name}`;
    const node = directory.entries.get(name);
    if (kind === 'removed') this.#forget(path);
    const { weather, random } = this.#machine;
    if (random.chance(weather.endedWatches)) return this.#end();
    const isFull = random.chance(weather.overflows);
    if (isFull || random.chance(weather.lostEvents)) {
      this.#isReliable = false;
      // A directory that was not noticed is not watched: a rescan finds its present contents, but no event reports
      // later changes.
      this.#missesDirectory ||= node?.kind === 'directory';
      return isFull ? this.#overflow() : undefined;
    }
    if (node?.kind === 'directory') this.#later(discoveryMsMax, () => this.#discover(path));
    const times = random.chance(weather.repeatedEvents) ? 2 : 1;
    const lateMs = random.chance(weather.reorderedEvents) ? 5 * weather.eventMsMax : 0;
    for (let i = 0; i < times; i++) this.#later(weather.eventMsMax + lateMs, () => this.#arrive(at, path));
  }

  #later(msMax: number, run: () => void): void {
    const unsubscribe = this.#unsubscribe;
    this.#machine.time.after(this.#machine.random.next() * msMax, () => {
      // Not after a restart.
      if (this.#isAlive() && this.#unsubscribe === unsubscribe) run();
    });
  }

  #forget(path: string): void {
    for (const [directory, at] of this.#watched)
      if (at === path || at.startsWith(`${path}/`))
        this.#later(discoveryMsMax, () => {
          // A directory that is back by now is watched again.
          if (this.#watched.get(directory) === at && this.#machine.files.lookUp(at) !== directory)
            this.#watched.delete(directory);
        });
  }

  #discover(path: string): void {
    const node = this.#machine.files.lookUp(path);
    if (node?.kind !== 'directory') return;
    this.#change(path);
    this.#add(node, path, (file) => this.#change(file));
  }

  #arrive(directory: string, path: string): void {
    if (!this.#receivedFrom.has(directory)) {
      this.#receivedFrom.add(directory);
      return this.#change(path);
    }
    const relative = path.slice(this.#directory.length + 1);
    this.#counted.set(relative, (this.#counted.get(relative) ?? 0) + 1);
    this.#scheduleReport();
  }

  #change(path: string): void {
    this.#changed.add(path.slice(this.#directory.length + 1));
    this.#scheduleReport();
  }

  #scheduleReport(): void {
    if (this.#isReporting) return;
    this.#isReporting = true;
    this.#later(0.1, () => {
      this.#isReporting = false;
      this.#report();
    });
  }

  #report(): void {
    if (this.#counted.size === 0 && this.#changed.size === 0) return;
    const events = { counted: this.#counted, changed: this.#changed };
    this.#counted = new Map();
    this.#changed = new Set();
    this.#machine.onReport?.([...events.changed, ...events.counted.keys()]);
    void this.#listener.onEvents(events);
  }

  /** The queue was full: its events are lost, and this is noticed. */
  #overflow(): void {
    this.#counted.clear();
    this.#changed.clear();
    this.#later(1, () => this.#listener.onOverflow());
  }

  /** Nothing is reported any more until the watch is made again. */
  #end(): void {
    this.#isReliable = false;
    this.#isEnded = true;
    this.#later(50, () => this.#listener.onWatchLost());
  }
}

/** Names beginning with a dot are not records, except for the file of rows of folders. */
function isIgnored(name: string): boolean {
  return name.startsWith('.') && name !== '.folders.json';
}
