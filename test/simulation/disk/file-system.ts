import { dirname } from 'node:path';
import type { Random } from '../../support/random.ts';
import type { Loss } from '../../support/torn-data.ts';
import { NameLog } from './name-log.ts';
import { failure, SimulatedFile } from './nodes.ts';
import type { Directory, Node } from './nodes.ts';

/** A change of a name in a directory, as inotify reports it. */
export interface NameEvent {
  readonly directory: Directory;
  readonly name: string;
  readonly kind: 'made' | 'removed' | 'changed';
}

export interface FileSystemOptions {
  /** Wall-clock milliseconds, for the times of files. */
  readonly now: () => number;
  readonly monotonic: () => number;
  /** Returns whether a new file gets the number of a removed one. */
  readonly reusesInode: () => boolean;
}

const linksMax = 40;

type ErrorCode = 'ENOENT' | 'ENOTDIR' | 'ELOOP';

/**
 * A file system in memory: names, inodes, hard links, directories, symbolic links. Paths are absolute. Calls fail with
 * the codes of Linux. Times of files are exact: two changes never have the same time.
 */
export class FileSystem {
  readonly root: Directory;
  readonly names: NameLog;
  readonly #options: FileSystemOptions;
  /** Directories by the paths at which they were found. */
  readonly #directories = new Map<string, Directory>();
  readonly #listeners = new Set<(event: NameEvent) => void>();
  readonly #freeInodes: number[] = [];
  #inodes = 1;
  #lastStamp = 0;

  constructor(options: FileSystemOptions) {
    this.#options = options;
    this.root = this.#newDirectory(0o755);
    this.root.nlink = 1;
    this.names = new NameLog(this.root, options.monotonic);
  }

  /** Calls the listener with each change. Returns the function that removes it. */
  subscribe(listener: (event: NameEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The node at a path; undefined if nothing exists. A symbolic link at its end is followed only with `follow`. */
  lookUp(path: string, follow = false): Node | undefined {
    const found = this.#at(path, follow);
    if (typeof found !== 'string') return found;
    if (found === 'ELOOP') throw failure(found, 'stat', path);
    return undefined;
  }

  /** Finds a node; fails if a part of the path is no directory. */
  find(path: string, call: string): Node | undefined {
    const found = this.#at(path, false);
    if (typeof found !== 'string') return found;
    if (found === 'ENOENT') return undefined;
    throw failure(found, call, path);
  }

  resolve(path: string, call: string, follow: boolean): Node {
    const found = this.#at(path, follow);
    if (typeof found === 'string') throw failure(found, call, path);
    return found;
  }

  /** The node at a path, or the code of the error: most look-ups of nothing are no failures, and errors are slow. */
  #at(path: string, follow: boolean): Node | ErrorCode {
    const slash = path.lastIndexOf('/');
    if (slash === path.length - 1) return this.#walk(path, follow, 0);
    const directory = this.#directoryAt(path.slice(0, slash));
    if (typeof directory === 'string') return directory;
    const node = directory.entries.get(path.slice(slash + 1));
    return node?.kind === 'other' && follow ? this.#walk(path, true, 0) : (node ?? 'ENOENT');
  }

  #directoryAt(path: string): Directory | ErrorCode {
    const known = this.#directories.get(path);
    if (known !== undefined) return known;
    const found = this.#walk(path, true, 0);
    if (typeof found === 'string') return found;
    if (found.kind !== 'directory') return 'ENOTDIR';
    this.#directories.set(path, found);
    return found;
  }

  #walk(path: string, follow: boolean, links: number): Node | ErrorCode {
    if (links > linksMax) return 'ELOOP';
    let node: Node = this.root;
    for (let at = 1; at < path.length;) {
      const slash = path.indexOf('/', at);
      const end = slash === -1 ? path.length : slash;
      if (node.kind !== 'directory') return 'ENOTDIR';
      const next = node.entries.get(path.slice(at, end));
      if (next === undefined) return 'ENOENT';
      node = next;
      if (node.kind === 'other' && (follow || slash !== -1)) {
        const target = node.target.startsWith('/') ? node.target : `${path.slice(0, at - 1)}/${node.target}`;
        const found = this.#walk(target, true, links + 1);
        if (typeof found === 'string') return found;
        node = found;
      }
      at = end + 1;
    }
    return node;
  }

  /** The directory of a path, and the name in it. */
  parentOf(path: string, call: string): { readonly directory: Directory; readonly name: string } {
    const slash = path.lastIndexOf('/');
    const directory = this.#directoryAt(path.slice(0, slash));
    if (typeof directory === 'string') throw failure(directory, call, path);
    return { directory, name: path.slice(slash + 1) };
  }

  makeFile(path: string, mode: number): SimulatedFile {
    const file = new SimulatedFile(this.#newInode(), mode & ~0o022 & 0o7777, this.#stamp());
    file.mode |= 0o100000;
    this.#put(path, file, 'open');
    return file;
  }

  makeLink(path: string, target: string): void {
    const now = this.#stamp();
    const times = { mtimeMs: now, ctimeMs: now, birthtimeMs: now };
    this.#put(path, { kind: 'other', ino: this.#newInode(), nlink: 0, mode: 0o120777, target, ...times }, 'symlink');
  }

  makeDirectory(path: string, mode: number): void {
    const found = this.lookUp(path, true);
    if (found?.kind === 'directory') return;
    if (found !== undefined) throw failure('EEXIST', 'mkdir', path);
    if (this.find(path, 'mkdir') !== undefined) throw failure('ENOENT', 'mkdir', path);
    this.makeDirectory(dirname(path), mode);
    this.#put(path, this.#newDirectory(mode), 'mkdir');
  }

  link(from: string, to: string): void {
    const node = this.resolve(from, 'link', false);
    if (node.kind === 'directory') throw failure('EPERM', 'link', from);
    this.#put(to, node, 'link');
    node.ctimeMs = this.#stamp();
  }

  #put(path: string, node: Node, call: string): void {
    const { directory, name } = this.parentOf(path, call);
    if (directory.entries.has(name)) throw failure('EEXIST', call, path);
    this.#set(directory, name, node);
    this.names.add([{ directory, name, node }]);
    this.#emit(directory, name, 'made');
  }

  rename(from: string, to: string): void {
    const source = this.parentOf(from, 'rename');
    const node = source.directory.entries.get(source.name);
    if (node === undefined) throw failure('ENOENT', 'rename', from);
    const target = this.parentOf(to, 'rename');
    const former = target.directory.entries.get(target.name);
    if (former === node) return;
    if (node.kind === 'directory' && `${to}/`.startsWith(`${from}/`)) throw failure('EINVAL', 'rename', from);
    if (former !== undefined) requireReplaceable(node, former, to);
    this.#set(source.directory, source.name, undefined);
    this.#set(target.directory, target.name, node);
    node.ctimeMs = this.#stamp();
    this.names.add([
      { ...source, node: undefined },
      { ...target, node },
    ]);
    this.#emit(source.directory, source.name, 'removed');
    this.#emit(target.directory, target.name, 'made');
  }

  remove(path: string, kind: 'file' | 'directory'): void {
    const call = kind === 'file' ? 'unlink' : 'rmdir';
    const { directory, name } = this.parentOf(path, call);
    const node = directory.entries.get(name);
    if (node === undefined) throw failure('ENOENT', call, path);
    if (kind === 'file' && node.kind === 'directory') throw failure('EISDIR', call, path);
    if (kind === 'directory' && node.kind !== 'directory') throw failure('ENOTDIR', call, path);
    if (node.kind === 'directory' && node.entries.size > 0) throw failure('ENOTEMPTY', call, path);
    this.#set(directory, name, undefined);
    node.ctimeMs = this.#stamp();
    this.names.add([{ directory, name, node: undefined }], node.kind === 'directory' ? node : undefined);
    this.#emit(directory, name, 'removed');
  }

  removeTree(path: string): void {
    const node = this.lookUp(path);
    if (node === undefined) return;
    if (node.kind !== 'directory') return this.remove(path, 'file');
    for (const name of node.entries.keys()) this.removeTree(`${path}/${name}`);
    this.remove(path, 'directory');
  }

  /** Called after a file's content changed. */
  changed(file: SimulatedFile): void {
    file.mtimeMs = this.#stamp();
    file.ctimeMs = file.mtimeMs;
    this.#emitChange(file);
  }

  /** Called after a file's attributes changed. */
  touched(node: Node): void {
    node.ctimeMs = this.#stamp();
    this.#emitChange(node);
  }

  /** Under the present name: a file that is renamed while it is open reports its changes there. */
  #emitChange(node: Node): void {
    const { place } = node;
    if (place?.directory.entries.get(place.name) === node) this.#emit(place.directory, place.name, 'changed');
  }

  monotonic(): number {
    return this.#options.monotonic();
  }

  /** Reduces the file system to the state after a power cut. No descriptor is open any more. */
  cut(loss: Loss, random: Random): void {
    this.#directories.clear();
    this.names.cut(loss, random);
  }

  /** The number may be given out again once no descriptor has the file open. */
  onClosed(file: SimulatedFile): void {
    if (file.nlink === 0) this.#freeInodes.push(file.ino);
  }

  #set(directory: Directory, name: string, node: Node | undefined): void {
    const former = directory.entries.get(name);
    if (isOnWay(former) || isOnWay(node)) this.#directories.clear();
    if (former !== undefined) former.nlink--;
    if (node === undefined) directory.entries.delete(name);
    else {
      directory.entries.set(name, node);
      node.place = { directory, name };
      node.nlink++;
    }
    directory.mtimeMs = this.#stamp();
    directory.ctimeMs = directory.mtimeMs;
  }

  #emit(directory: Directory, name: string, kind: NameEvent['kind']): void {
    for (const listener of this.#listeners) listener({ directory, name, kind });
  }

  #newDirectory(mode: number): Directory {
    const now = this.#stamp();
    const times = { mtimeMs: now, ctimeMs: now, birthtimeMs: now };
    const maps = { entries: new Map<string, Node>(), durable: new Map<string, Node>() };
    return { kind: 'directory', ino: this.#newInode(), nlink: 0, mode: (mode & ~0o022) | 0o040000, ...times, ...maps };
  }

  #newInode(): number {
    if (this.#freeInodes.length > 0 && this.#options.reusesInode()) return this.#freeInodes.pop()!;
    return ++this.#inodes;
  }

  #stamp(): number {
    return (this.#lastStamp = Math.max(this.#lastStamp + 0.001, this.#options.now()));
  }
}

/** Returns whether other paths may lead through a node. */
function isOnWay(node: Node | undefined): boolean {
  return node !== undefined && node.kind !== 'file';
}

function requireReplaceable(node: Node, former: Node, to: string): void {
  if (former.kind !== 'directory') {
    if (node.kind === 'directory') throw failure('ENOTDIR', 'rename', to);
  } else if (node.kind !== 'directory') throw failure('EISDIR', 'rename', to);
  else if (former.entries.size > 0) throw failure('ENOTEMPTY', 'rename', to);
}
