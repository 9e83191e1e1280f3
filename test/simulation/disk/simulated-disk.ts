import { constants } from 'node:fs';
import type { Disk, FileLock } from '../../../src/store/files/disk/disk.ts';
import type { FileSystem } from './file-system.ts';
import { failure, statOf } from './nodes.ts';
import type { Node, SimulatedFile } from './nodes.ts';

const {
  O_ACCMODE = 3,
  O_APPEND,
  O_CREAT,
  O_DSYNC,
  O_EXCL,
  O_NOFOLLOW,
  O_RDONLY,
  O_RDWR,
  O_TRUNC,
  O_WRONLY,
} = constants as typeof constants & { readonly O_ACCMODE?: number };

export type DiskCall = keyof Disk;

/** The machine's effects on the calls of one process. */
export interface Machine {
  /** Called before each call; may throw the error of the call. Other processes run here. */
  readonly before: (call: DiskCall, path: string) => void;
  /** Runs the halves of an asynchronous call, later and one after the other. */
  readonly later: <T>(call: DiskCall, path: string, steps: readonly (() => T)[]) => Promise<T>;
  readonly monotonic: () => number;
  readonly space: () => { readonly freeBytes: number; readonly totalBytes: number };
  readonly bootId: () => string;
  /** Kernel locks by inode, of all processes. */
  readonly locks: Set<Node>;
}

interface Descriptor {
  readonly node: Node;
  readonly path: string;
  readonly flags: number;
  position: number;
}

/** The disk of a process. `exit` closes its open files and frees its locks, as the kernel does. */
export interface SimulatedDisk extends Disk {
  exit(): void;
}

/** The descriptors of one process on a simulated file system. */
class Descriptors {
  readonly #files: FileSystem;
  readonly #open = new Map<number, Descriptor>();
  #last = 2;

  constructor(files: FileSystem) {
    this.#files = files;
  }

  open(path: string, flags: string | number, mode: number): number {
    const bits = typeof flags === 'number' ? flags : bitsOf(flags);
    const node = this.#nodeOf(path, bits, mode);
    const fd = ++this.#last;
    this.#open.set(fd, { node, path, flags: bits, position: 0 });
    return fd;
  }

  #nodeOf(path: string, bits: number, mode: number): Node {
    const found = this.#files.lookUp(path, (bits & (O_NOFOLLOW | O_EXCL)) === 0);
    if (found === undefined) {
      // Says where the path ends.
      if ((bits & O_CREAT) === 0) return this.#files.resolve(path, 'open', (bits & O_NOFOLLOW) === 0);
      return this.#files.makeFile(path, mode);
    }
    if ((bits & O_CREAT) !== 0 && (bits & O_EXCL) !== 0) throw failure('EEXIST', 'open', path);
    if (found.kind === 'other') throw failure('ELOOP', 'open', path);
    if (found.kind === 'directory' && (bits & (O_ACCMODE | O_CREAT)) !== 0) throw failure('EISDIR', 'open', path);
    if (found.kind === 'file' && (bits & O_TRUNC) !== 0) {
      found.truncate(0, this.#files.monotonic());
      this.#files.changed(found);
    }
    return found;
  }

  at(fd: number, call: string): Descriptor {
    const found = this.#open.get(fd);
    if (found === undefined) throw failure('EBADF', call);
    return found;
  }

  /** The file of a descriptor that allows reading or writing. */
  file(fd: number, call: 'read' | 'write'): Descriptor & { readonly node: SimulatedFile } {
    const found = this.at(fd, call);
    const access = found.flags & O_ACCMODE;
    if (access === (call === 'read' ? O_WRONLY : O_RDONLY)) throw failure('EBADF', call);
    if (found.node.kind !== 'file') throw failure('EISDIR', call);
    return found as Descriptor & { readonly node: SimulatedFile };
  }

  write(fd: number, data: Uint8Array, position?: number): void {
    const found = this.file(fd, 'write');
    if (data.length === 0) return;
    const { node } = found;
    const at = (found.flags & O_APPEND) !== 0 ? node.size : (position ?? found.position);
    node.write(data, at, this.#files.monotonic());
    if (position === undefined) found.position = at + data.length;
    if ((found.flags & O_DSYNC) === O_DSYNC) node.sync();
    this.#files.changed(node);
  }

  sync(fd: number, call: string): void {
    const { node } = this.at(fd, call);
    if (node.kind === 'file') node.sync();
    else if (node.kind === 'directory') this.#files.names.sync(node);
  }

  close(fd: number): void {
    const { node } = this.at(fd, 'close');
    this.#open.delete(fd);
    const isOpen = [...this.#open.values()].some((other) => other.node === node);
    if (node.kind === 'file' && !isOpen) this.#files.onClosed(node);
  }

  closeAll(): void {
    for (const fd of [...this.#open.keys()]) this.close(fd);
  }
}

export function simulatedDisk(files: FileSystem, machine: Machine): SimulatedDisk {
  const descriptors = new Descriptors(files);
  const locked = new Set<Node>();
  const pathOf = (fd: number): string => descriptors.at(fd, 'fstat').path;
  const disk = {
    ...namesOf(files, machine),
    ...contentsOf(files, machine, descriptors),
    ...laterOf(files, machine, descriptors),
    open(path: string, flags: string | number, mode = 0o666) {
      machine.before('open', path);
      return descriptors.open(path, flags, mode);
    },
    close(fd: number) {
      machine.before('close', pathOf(fd));
      descriptors.close(fd);
    },
    lock(path: string): FileLock | undefined {
      machine.before('lock', path);
      const node = files.lookUp(path, true) ?? files.makeFile(path, 0o666);
      if (machine.locks.has(node)) return undefined;
      machine.locks.add(node);
      locked.add(node);
      return { close: () => void (locked.delete(node) && machine.locks.delete(node)) };
    },
    exit() {
      descriptors.closeAll();
      for (const node of locked) machine.locks.delete(node);
    },
  };
  return disk;
}

type Names = Pick<
  Disk,
  | 'stat'
  | 'list'
  | 'entries'
  | 'names'
  | 'makeDirectory'
  | 'rename'
  | 'link'
  | 'remove'
  | 'removeDirectoryIfEmpty'
  | 'removeTree'
  | 'setTimes'
  | 'setMode'
  | 'space'
  | 'fileSystemType'
  | 'bootId'
>;

/** The type of ext4. */
const ext4 = 0xef53;

function namesOf(files: FileSystem, { before, space, bootId }: Machine): Names {
  const listed = (path: string): { readonly name: string; readonly kind: Node['kind'] }[] => {
    const node = files.lookUp(path, true);
    if (node?.kind !== 'directory') return [];
    return [...node.entries].map(([name, { kind }]) => ({ name, kind }));
  };
  return {
    stat(path) {
      before('stat', path);
      const node = files.find(path, 'lstat');
      return node && statOf(node);
    },
    list(path) {
      before('list', path);
      return listed(path).sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    *entries(path) {
      before('entries', path);
      yield* listed(path);
    },
    names(path) {
      before('names', path);
      return listed(path).map(({ name }) => Buffer.from(name));
    },
    makeDirectory(path, mode = 0o777) {
      before('makeDirectory', path);
      files.makeDirectory(path, mode);
    },
    rename(from, to) {
      before('rename', to);
      files.rename(from, to);
    },
    link(from, to) {
      before('link', to);
      files.link(from, to);
    },
    remove(path) {
      before('remove', path);
      files.remove(path, 'file');
    },
    removeDirectoryIfEmpty(path) {
      before('removeDirectoryIfEmpty', path);
      const node = files.find(path, 'rmdir');
      if (node === undefined || (node.kind === 'directory' && node.entries.size > 0)) return false;
      files.remove(path, 'directory');
      return true;
    },
    removeTree(path) {
      before('removeTree', path);
      files.removeTree(path);
    },
    setTimes(path, mtimeMs) {
      before('setTimes', path);
      const node = files.resolve(path, 'lutime', false);
      node.mtimeMs = mtimeMs;
      files.touched(node);
    },
    setMode(path, mode) {
      before('setMode', path);
      const node = files.resolve(path, 'chmod', true);
      node.mode = (node.mode & ~0o7777) | mode;
      files.touched(node);
    },
    space: () => space(),
    fileSystemType: () => ext4,
    bootId: () => bootId(),
  };
}

type Contents = Pick<
  Disk,
  | 'read'
  | 'readIfExists'
  | 'readSame'
  | 'readRange'
  | 'write'
  | 'readAt'
  | 'readAll'
  | 'statOpen'
  | 'truncate'
  | 'sync'
  | 'dataSync'
  | 'syncDirectory'
>;

function contentsOf(files: FileSystem, { before }: Machine, descriptors: Descriptors): Contents {
  const fileAt = (path: string): SimulatedFile => {
    const node = files.resolve(path, 'open', false);
    if (node.kind === 'other') throw failure('ELOOP', 'open', path);
    if (node.kind === 'directory') throw failure('EISDIR', 'read');
    return node;
  };
  return {
    read(path) {
      before('read', path);
      return fileAt(path).read();
    },
    readIfExists(path) {
      before('readIfExists', path);
      return files.find(path, 'lstat') && fileAt(path).read();
    },
    readSame(path, { ino }) {
      before('readSame', path);
      const node = files.find(path, 'open');
      if (node === undefined || node.kind === 'other' || node.ino !== ino) return undefined;
      return fileAt(path).read();
    },
    readRange(path, offset, length) {
      before('readRange', path);
      return files.find(path, 'lstat') && fileAt(path).read(offset, length);
    },
    write(fd, data) {
      before('write', descriptors.at(fd, 'write').path);
      descriptors.write(fd, data);
    },
    readAt(fd, offset, length) {
      before('readAt', descriptors.at(fd, 'read').path);
      return descriptors.file(fd, 'read').node.read(offset, length);
    },
    readAll(fd) {
      before('readAll', descriptors.at(fd, 'read').path);
      return descriptors.file(fd, 'read').node.read();
    },
    statOpen(fd) {
      const { node, path } = descriptors.at(fd, 'fstat');
      before('statOpen', path);
      return statOf(node);
    },
    truncate(fd, size) {
      const { node, path, flags } = descriptors.at(fd, 'ftruncate');
      before('truncate', path);
      if (node.kind !== 'file' || (flags & O_ACCMODE) === O_RDONLY) throw failure('EINVAL', 'ftruncate');
      node.truncate(size, files.monotonic());
      files.changed(node);
    },
    sync(fd) {
      before('sync', descriptors.at(fd, 'fsync').path);
      descriptors.sync(fd, 'fsync');
    },
    dataSync(fd) {
      before('dataSync', descriptors.at(fd, 'fdatasync').path);
      descriptors.sync(fd, 'fdatasync');
    },
    syncDirectory(path) {
      before('syncDirectory', path);
      const node = files.resolve(path, 'open', true);
      if (node.kind === 'directory') files.names.sync(node);
      else if (node.kind === 'file') node.sync();
    },
  };
}

type Later = Pick<Disk, 'readAtAsync' | 'writeAsync' | 'writeAtAsync' | 'dataSyncAsync' | 'syncDirectoryAsync'>;

function laterOf(files: FileSystem, { later }: Machine, descriptors: Descriptors): Later {
  const pathOf = (fd: number): string => descriptors.at(fd, 'fstat').path;
  return {
    readAtAsync(fd, offset, length) {
      return later('readAtAsync', pathOf(fd), [() => descriptors.file(fd, 'read').node.read(offset, length)]);
    },
    writeAsync(fd, data) {
      const half = data.length >> 1;
      const write = (part: Uint8Array) => () => descriptors.write(fd, part);
      return later('writeAsync', pathOf(fd), [write(data.subarray(0, half)), write(data.subarray(half))]);
    },
    writeAtAsync(fd, data, position) {
      const half = data.length >> 1;
      const write = (part: Uint8Array, at: number) => () => descriptors.write(fd, part, at);
      const steps = [write(data.subarray(0, half), position), write(data.subarray(half), position + half)];
      return later('writeAtAsync', pathOf(fd), steps);
    },
    dataSyncAsync(fd) {
      return later('dataSyncAsync', pathOf(fd), [() => descriptors.sync(fd, 'fdatasync')]);
    },
    syncDirectoryAsync(path) {
      const sync = (): void => {
        const node = files.resolve(path, 'open', true);
        if (node.kind === 'directory') files.names.sync(node);
      };
      return later('syncDirectoryAsync', path, [sync]);
    },
  };
}

/** Node's flags in words as bits. */
function bitsOf(flags: string): number {
  const access = flags.includes('+') ? O_RDWR : flags.startsWith('r') ? O_RDONLY : O_WRONLY;
  const more = flags.startsWith('w') ? O_CREAT | O_TRUNC : flags.startsWith('a') ? O_CREAT | O_APPEND : 0;
  return access | more | (flags.includes('x') ? O_EXCL : 0);
}
