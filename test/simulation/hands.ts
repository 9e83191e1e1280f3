import type { FileSystem } from './disk/file-system.ts';
import type { SimulatedFile } from './disk/nodes.ts';
import type { Directory, Node } from './disk/nodes.ts';
import { type Ledger, tokensIn } from './ledger.ts';

/** How long after a file was replaced a save into the old one is still found. */
const racedMsMax = 15;

/** A file that a person has open. */
export interface OpenFile {
  readonly file: SimulatedFile;
  readonly path: string;
}

/** Other programs on the files of a simulation. Their changes are atomic, and in the ledger. */
export class Hands {
  readonly files: FileSystem;
  readonly #ledger: Ledger;
  readonly #monotonic: () => number;
  /** When the service replaced or removed a file that was at a path, by the file. */
  readonly replacedAt = new Map<SimulatedFile, number>();
  /** The number of the service's calls of the disk when people renamed a file to its path. */
  readonly placedAt = new WeakMap<Node, number>();
  readonly #calls: () => number;
  /** Files that people wrote and that are not synced. */
  readonly #unsynced = new Set<SimulatedFile>();
  /** Files that a program has open, under any name: a second one, whose text would be mixed with its own, is refused. */
  readonly #open = new Set<SimulatedFile>();

  constructor(files: FileSystem, ledger: Ledger, monotonic: () => number, calls: () => number) {
    this.files = files;
    this.#ledger = ledger;
    this.#monotonic = monotonic;
    this.#calls = calls;
  }

  read(path: string): string | undefined {
    const node = this.files.lookUp(path);
    return node?.kind === 'file' ? node.read().toString() : undefined;
  }

  isDirectory(path: string): boolean {
    return this.files.lookUp(path)?.kind === 'directory';
  }

  /** Opens to write, as most programs do: the file is empty then, or new. */
  open(path: string): OpenFile | undefined {
    const node = this.files.lookUp(path);
    if (node !== undefined && (node.kind !== 'file' || this.#open.has(node))) return undefined;
    if (!this.isDirectory(path.slice(0, path.lastIndexOf('/')))) return undefined;
    const file = node ?? this.#byPeople(() => this.files.makeFile(path, 0o666));
    const opened = { file, path };
    this.#open.add(file);
    if (node === undefined) this.placedAt.set(file, this.#calls());
    else if (file.size > 0) this.#change(opened, () => file.truncate(0, this.#monotonic()));
    return opened;
  }

  /** Writes at the end of an open file. */
  write(opened: OpenFile, text: string): void {
    const { file } = opened;
    this.#change(opened, () => file.write(Buffer.from(text), file.size, this.#monotonic()));
  }

  close({ file }: OpenFile): void {
    this.#open.delete(file);
  }

  /** Every program has ended. */
  closeAll(): void {
    this.#open.clear();
  }

  #change(opened: OpenFile, change: () => void): void {
    const { file, path } = opened;
    const before = file.read().toString();
    change();
    this.#unsynced.add(file);
    this.files.changed(file);
    const after = file.read().toString();
    if (!isRecord(path)) return;
    if (file.nlink > 0) {
      this.#ledger.changedFile(path, before, after);
      this.#noteCopy(path, before, after);
      // Another person has moved it in between.
      if (this.files.lookUp(path) !== file) this.forget(file);
      return;
    }
    // The service has replaced the file: a save is found if it is complete soon.
    this.#ledger.changedFile(path, '', after);
    const replaced = this.replacedAt.get(file);
    if (replaced === undefined || this.#monotonic() - replaced > racedMsMax) this.forget(file);
  }

  /** An editor saves under a name from before the service renamed the file: two files have the id then, for a while. */
  #noteCopy(path: string, before: string, after: string): void {
    const line = /^id: (\S+)$/m.exec(after);
    if (line === null || before.includes(line[0])) return;
    const isOther = (other: string): boolean => other !== path && this.read(other)?.includes(line[0]) === true;
    if (this.list(path.split('/').slice(0, 5).join('/')).some(isOther)) this.#ledger.idsCopied.add(line[1]!);
  }

  /** The contents of the file need not be seen. */
  forget(file: SimulatedFile): void {
    for (const token of tokensIn(file.read().toString())) this.#ledger.excuse(token);
  }

  /**
   * The service was killed: a save into a file that it had replaced is lost if it was not journaled yet, since the process
   * alone had that file open. No other file contains it then.
   */
  onServiceKilled(): void {
    const kept = new Set(this.list('/home/.planner').flatMap((path) => [...tokensIn(this.read(path)!)]));
    for (const file of this.replacedAt.keys())
      for (const token of tokensIn(file.read().toString())) if (!kept.has(token)) this.#ledger.excuse(token);
    this.replacedAt.clear();
  }

  /** Writes a whole file in one step, in place. */
  save(path: string, text: string): boolean {
    const opened = this.open(path);
    if (opened === undefined) return false;
    this.write(opened, text);
    this.close(opened);
    return true;
  }

  /** Writes a new file without a place in the tree; `rename` puts it there. */
  temporary(path: string, text: string): void {
    const file = this.#byPeople(() => this.files.makeFile(path, 0o666));
    this.#unsynced.add(file);
    file.write(Buffer.from(text), 0, this.#monotonic());
    this.files.changed(file);
  }

  /** Renames a file or a directory; false if that fails. Outside of the tree nothing is served. */
  rename(from: string, to: string): boolean {
    const node = this.files.lookUp(from);
    const former = this.files.lookUp(to);
    if (node === undefined || node === former) return false;
    const before = former?.kind === 'file' ? former.read().toString() : '';
    this.#ledger.arePlacesTouched = true;
    try {
      this.#byPeople(() => this.files.rename(from, to));
    } catch {
      return false;
    }
    for (const [one, path] of below(node, to)) {
      this.placedAt.set(one, this.#calls());
      if (one.kind !== 'file') continue;
      const text = one.read().toString();
      const source = from + path.slice(to.length);
      if (isRecord(path)) {
        this.#ledger.renamedFile(source, path);
        this.#ledger.changedFile(path, '', text);
        this.#noteCopy(path, '', text);
      } else if (isRecord(source)) this.#ledger.changedFile(source, text, '');
    }
    if (isRecord(to) && before !== '') this.#ledger.changedFile(to, before, this.read(to) ?? '');
    return true;
  }

  remove(path: string): boolean {
    const node = this.files.lookUp(path);
    if (node === undefined) return false;
    this.#ledger.arePlacesTouched = true;
    for (const [one, at] of below(node, path))
      if (one.kind === 'file' && isRecord(at)) this.#ledger.changedFile(at, one.read().toString(), '');
    this.#byPeople(() => this.files.removeTree(path));
    return true;
  }

  makeDirectory(path: string): boolean {
    this.#ledger.arePlacesTouched = true;
    try {
      this.#byPeople(() => this.files.makeDirectory(path, 0o777));
      return true;
    } catch {
      return false;
    }
  }

  /** Makes people's changes durable. */
  sync(): void {
    this.files.names.syncPeople();
    for (const file of this.#unsynced) file.sync();
    this.#unsynced.clear();
  }

  #byPeople<T>(change: () => T): T {
    this.files.names.byPeople = true;
    try {
      return change();
    } finally {
      this.files.names.byPeople = false;
    }
  }

  /** The paths of the files below a directory. */
  list(path: string): string[] {
    const node = this.files.lookUp(path);
    return node?.kind === 'directory' ? [...paths(node, path)] : [];
  }

  /** The paths of the directories below a directory. */
  directories(path: string): string[] {
    const node = this.files.lookUp(path);
    if (node?.kind !== 'directory') return [];
    return [...node.entries].flatMap(([name, inner]) =>
      inner.kind === 'directory' ? [`${path}/${name}`, ...this.directories(`${path}/${name}`)] : [],
    );
  }
}

/** Returns whether the file at a path is served. */
function isRecord(path: string): boolean {
  return /^\/home\/\.planner\/projects\/.*\/(?:[^./][^/]*\.md|\.folder\.json)$/.test(path);
}

function* below(node: Node, path: string): Generator<readonly [node: Node, path: string]> {
  yield [node, path];
  if (node.kind !== 'directory') return;
  for (const [name, inner] of node.entries) yield* below(inner, `${path}/${name}`);
}

function* paths(directory: Directory, path: string): Generator<string> {
  for (const [name, node] of directory.entries)
    if (node.kind === 'directory') yield* paths(node, `${path}/${name}`);
    else if (node.kind === 'file') yield `${path}/${name}`;
}
