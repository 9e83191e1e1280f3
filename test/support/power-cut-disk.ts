import {
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import type { Disk } from '../../src/store/files/disk/disk.ts';
import type { Random } from './random.ts';
import { left } from './torn-data.ts';
import type { Loss } from './torn-data.ts';

export type { Loss };

/** The real disk, remembering what of it would outlive a power cut. */
export interface PowerCutDisk extends Disk {
  /**
   * Reduces the files below the root to their state after a power cut at this moment. Every descriptor must be closed
   * by then.
   */
  cut(loss: Loss, random: Random): void;
}

/** As after a restart of the machine: the system says another boot. */
export function rebooted(disk: Disk): Disk {
  return { ...disk, bootId: () => 'the boot after the power cut' };
}

/** A file that was changed: its content as last synced. */
interface Changed {
  synced: Buffer;
}

/** A file as it was before its name went to another or ended. */
interface Former {
  readonly bytes: Buffer;
  readonly synced: Buffer | undefined;
  readonly mode: number;
  readonly mtimeMs: number;
}

type NameChange =
  | { readonly kind: 'file made'; readonly path: string }
  | { readonly kind: 'directory made'; readonly path: string }
  | { readonly kind: 'directory removed'; readonly path: string }
  | { readonly kind: 'file removed'; readonly path: string; readonly former: Former }
  | {
      readonly kind: 'moved';
      readonly path: string;
      readonly from: string;
      readonly directory: boolean;
      readonly former: Former | undefined;
    };

type Logged = NameChange & { durable: boolean };

type Disks = { -readonly [N in keyof Disk]: Disk[N] };

/** Only changes below `root` are recorded; existing files count as durable. */
export function powerCutDisk(root: string): PowerCutDisk {
  const memory = new Memory(root);
  const disk: Disks = { ...nodeDisk };
  memory.follow(disk);
  return { ...disk, cut: (loss, random) => memory.cut(loss, random) };
}

class Memory {
  readonly #root: string;
  /** The changed files by inode. Unchanged files are whole on the disk. */
  readonly #changed = new Map<string, Changed>();
  /** Descriptors whose every write is durable. */
  readonly #durable = new Set<number>();
  #names: Logged[] = [];

  constructor(root: string) {
    this.#root = root;
  }

  follow(disk: Disks): void {
    this.#followFiles(disk);
    this.#followNames(disk);
  }

  #followFiles(disk: Disks): void {
    const written = (fd: number): void => void (this.#durable.has(fd) && this.#synced(fd));
    disk.open = (path, flags, mode) => this.#open(path, flags, mode);
    disk.close = (fd) => {
      this.#durable.delete(fd);
      nodeDisk.close(fd);
    };
    disk.write = (fd, data) => {
      nodeDisk.write(fd, data);
      written(fd);
    };
    disk.writeAsync = async (fd, data) => {
      await nodeDisk.writeAsync(fd, data);
      written(fd);
    };
    disk.writeAtAsync = async (fd, data, position) => {
      await nodeDisk.writeAtAsync(fd, data, position);
      written(fd);
    };
    disk.sync = (fd) => {
      nodeDisk.sync(fd);
      this.#synced(fd);
    };
    disk.dataSync = (fd) => {
      nodeDisk.dataSync(fd);
      this.#synced(fd);
    };
    disk.dataSyncAsync = async (fd) => {
      await nodeDisk.dataSyncAsync(fd);
      this.#synced(fd);
    };
  }

  #followNames(disk: Disks): void {
    disk.makeDirectory = (path, mode) => {
      const made: string[] = [];
      for (let at = path; !existsSync(at); at = dirname(at)) made.unshift(at);
      nodeDisk.makeDirectory(path, mode);
      for (const each of made) this.#log({ kind: 'directory made', path: each });
    };
    disk.rename = (from, to) => {
      const former = this.#former(to);
      const directory = lstatSync(from).isDirectory();
      nodeDisk.rename(from, to);
      this.#log({ kind: 'moved', path: to, from, directory, former });
    };
    disk.link = (from, to) => {
      nodeDisk.link(from, to);
      this.#log({ kind: 'file made', path: to });
    };
    disk.remove = (path) => {
      const former = this.#former(path);
      nodeDisk.remove(path);
      if (former !== undefined) this.#log({ kind: 'file removed', path, former });
    };
    disk.removeDirectoryIfEmpty = (path) => {
      const removed = nodeDisk.removeDirectoryIfEmpty(path);
      if (removed) this.#log({ kind: 'directory removed', path });
      return removed;
    };
    disk.syncDirectory = (path) => {
      nodeDisk.syncDirectory(path);
      this.#directorySynced(path);
    };
    disk.syncDirectoryAsync = async (path) => {
      await nodeDisk.syncDirectoryAsync(path);
      this.#directorySynced(path);
    };
  }

  #open(path: string, flags: string | number, mode?: number): number {
    const bits = typeof flags === 'number' ? flags : bitsOf(flags);
    const writes = (bits & 3) !== constants.O_RDONLY;
    if (!writes || !this.#isOurs(path)) return nodeDisk.open(path, flags, mode);
    const before = statSync(path, { throwIfNoEntry: false });
    const content = before?.isFile() === true ? readFileSync(path) : Buffer.alloc(0);
    // Written data is read back when it is synced.
    const fd = nodeDisk.open(path, (bits & ~3) | constants.O_RDWR, mode);
    if ((bits & constants.O_DSYNC) !== 0) this.#durable.add(fd);
    const key = keyOf(fstatSync(fd, { bigint: true }));
    if (before === undefined || !this.#changed.has(key)) this.#changed.set(key, { synced: content });
    if (before === undefined) this.#log({ kind: 'file made', path });
    return fd;
  }

  #synced(fd: number): void {
    const changed = this.#changed.get(keyOf(fstatSync(fd, { bigint: true })));
    if (changed !== undefined) changed.synced = nodeDisk.readAll(fd);
  }

  #isOurs(path: string): boolean {
    return path === this.#root || path.startsWith(this.#root + sep);
  }

  #log(change: NameChange): void {
    if (this.#isOurs(change.path)) this.#names.push({ ...change, durable: false });
  }

  #former(path: string): Former | undefined {
    const stat = lstatSync(path, { throwIfNoEntry: false, bigint: true });
    if (stat?.isFile() !== true) return undefined;
    const synced = this.#changed.get(keyOf(stat))?.synced;
    return { bytes: readFileSync(path), synced, mode: Number(stat.mode) & 0o777, mtimeMs: Number(stat.mtimeMs) };
  }

  /** The names in a directory as they are now are durable, and with a directory that was moved whatever that takes. */
  #directorySynced(directory: string): void {
    for (const [index, change] of this.#names.entries()) {
      const paths = change.kind === 'moved' ? [change.path, change.from] : [change.path];
      if (!paths.some((path) => this.#now(dirname(path), index) === directory)) continue;
      change.durable = true;
      // With a directory that is gone for good everything in it is.
      if (change.kind === 'directory removed')
        for (const earlier of this.#names.slice(0, index))
          if (earlier.path.startsWith(change.path + sep)) earlier.durable = true;
    }
    while (this.#names[0]?.durable === true && this.#names[0].kind !== 'moved') this.#names.shift();
  }

  /** The present path of a directory, which may have moved since a change. */
  #now(path: string, index: number): string {
    let now = path;
    for (const change of this.#names.slice(index + 1)) {
      if (change.kind !== 'moved' || !change.directory) continue;
      if (now === change.from || now.startsWith(change.from + sep)) now = change.path + now.slice(change.from.length);
    }
    return now;
  }

  cut({ data, names }: Loss, random: Random): void {
    for (const path of filesBelow(this.#root)) {
      const stat = lstatSync(path, { bigint: true });
      const changed = this.#changed.get(keyOf(stat));
      if (changed === undefined) continue;
      const bytes = readFileSync(path);
      if (bytes.equals(changed.synced)) continue;
      writeFileSync(path, left(bytes, changed.synced, data, random));
      utimesSync(path, Number(stat.mtimeMs) / 1000, Number(stat.mtimeMs) / 1000);
    }
    this.#changed.clear();
    const keep = names === 'kept' ? Infinity : names === 'lost' ? 0 : random.integer(0, this.#names.length);
    for (let index = this.#names.length - 1; index >= 0 && index >= keep; index--) {
      const change = this.#names[index]!;
      if (change.durable) continue;
      this.#undo(change, index, data, random);
      // Undone: it moves nothing any more.
      this.#names.splice(index, 1);
    }
    this.#names = [];
  }

  #undo(change: NameChange, index: number, data: Loss['data'], random: Random): void {
    const path = join(this.#now(dirname(change.path), index), change.path.slice(dirname(change.path).length));
    if (change.kind === 'file made' || change.kind === 'directory made') {
      // A directory that was moved away durably is not lost with its first name.
      rmSync(path, { recursive: true, force: true });
    } else if (change.kind === 'directory removed') mkdirSync(path, { recursive: true });
    else if (change.kind === 'file removed') putBack(path, change.former, data, random);
    else if (existsSync(path)) {
      const from = join(this.#now(dirname(change.from), index), change.from.slice(dirname(change.from).length));
      // Where it came from is lost with it when its directory is undone in turn.
      mkdirSync(dirname(from), { recursive: true });
      if (change.directory && existsSync(from)) rmdirSync(from);
      renameSync(path, from);
      if (change.former !== undefined) putBack(path, change.former, data, random);
    }
  }
}

function putBack(path: string, former: Former, data: Loss['data'], random: Random): void {
  mkdirSync(dirname(path), { recursive: true });
  const { bytes, synced, mode, mtimeMs } = former;
  writeFileSync(path, synced === undefined ? bytes : left(bytes, synced, data, random), { mode });
  utimesSync(path, mtimeMs / 1000, mtimeMs / 1000);
}

/** An inode and when it was made: numbers are given out again. */
function keyOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

function filesBelow(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

/** Node's flags in words as bits. */
function bitsOf(flags: string): number {
  const { O_RDONLY, O_RDWR, O_WRONLY, O_CREAT, O_EXCL, O_TRUNC, O_APPEND } = constants;
  const first = flags[0];
  const access = flags.includes('+') ? O_RDWR : first === 'r' ? O_RDONLY : O_WRONLY;
  const more = first === 'w' ? O_CREAT | O_TRUNC : first === 'a' ? O_CREAT | O_APPEND : 0;
  return access | more | (flags.includes('x') ? O_EXCL : 0);
}
