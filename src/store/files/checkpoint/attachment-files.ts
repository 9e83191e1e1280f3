import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { conflict } from '../../../errors.ts';
import type { Collection } from '../../record/collection.ts';
import { type Disk, type FileStat, openFlags } from '../disk/disk.ts';
import { notePassed } from '../../../platform/collect-garbage.ts';
import { directoryOf, nameOf, stemOf } from '../../record/locations.ts';
import type { KnownBytes, Project } from '../project/project.ts';
import { RealDirectories } from '../disk/real-directories.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';
import type { Staging } from './staging.ts';
import type { Problem, RecordBytes, StagedBytes } from '../../record/view.ts';

/** Bytes are read in pieces of this size. */
const pieceBytes = 64 * 1024;

export interface RecordFilesParts {
  readonly disk: Disk;
  /** Absolute path of `projects/`. */
  readonly projectsDirectory: string;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly staging: Staging;
  /** The journal position of the last change. */
  readonly position: () => number;
  /** Something waits for its file. */
  readonly changed: () => void;
}

/** How records are looked at. */
export interface Inspection {
  /** Read all bytes. */
  readonly whole?: boolean;
  /** Give bytes that are missing their place again where staging has them: a power cut took it back. Else somebody took them away. */
  readonly again?: boolean;
}

/** A file that holds what a record names. */
interface Found {
  readonly path: string;
  readonly stat: FileStat;
}

/**
 * Bytes that belong to records: in staging until the checkpointer has given them their place beside the record's file, served from either.
 * What lies there is a person's to change like every file; bytes that are not those that the record names are a listed problem.
 */
export class RecordFiles {
  readonly #parts: RecordFilesParts;
  readonly #collections: readonly Collection[];
  /** Hashes of bytes that have their place since files were last made durable. */
  #unsynced = new Set<string>();
  /** Names in directories, while all records of a project are looked at. */
  #listed: Map<string, readonly string[]> | undefined;
  /** Which directories are no links, as long. */
  #real: RealDirectories | undefined;

  constructor(parts: RecordFilesParts) {
    this.#parts = parts;
    this.#collections = [...parts.collections.values()].filter(({ bytes }) => bytes !== undefined);
  }

  /** A record's bytes. Undefined where no bytes belong to it; throws `conflict` with the path where they are missing or are others. */
  open(project: Project, name: string, id: string): RecordBytes | undefined {
    const collection = this.#parts.collections.get(name);
    const record = project.index.table(name).get(id);
    if (collection?.bytes === undefined || record === undefined) return undefined;
    const named = namedBy(collection, record);
    const found = this.#find(project, collection, record, true);
    if (!('kind' in found)) return new OpenBytes(this.#parts.disk, found, named);
    const { path, reason, remedy = '' } = found;
    throw conflict(`The bytes of ${id} cannot be read: ${path}: ${reason} ${remedy}`, { id, path });
  }

  /** Whether the bytes that a record is about to name are here. */
  areHere(project: Project, collection: Collection, record: StoredRecord): boolean {
    return (
      this.#parts.staging.has(namedBy(collection, record)) ||
      !('kind' in this.#placed(project, collection, record, false))
    );
  }

  /** A change that is being committed names bytes: they wait for their place. */
  await(project: Project, collection: Collection, record: StoredRecord): void {
    const named = namedBy(collection, record);
    if (this.#parts.staging.has(named)) project.bytesDue.set(record.id, this.#due(named));
  }

  #due(named: StagedBytes): StagedBytes & { readonly from: string } {
    return { ...named, from: this.#parts.staging.path(named.sha256) };
  }

  /** The record's file was written, and its bytes before it. */
  written(project: Project, collection: Collection, record: StoredRecord): void {
    const due = project.bytesDue.get(record.id);
    if (collection.bytes === undefined || due === undefined) return;
    project.bytesDue.delete(record.id);
    const found = this.#placed(project, collection, record, false);
    if ('kind' in found) return this.inspect(project, collection, record.id);
    project.knownBytes.set(record.id, known(found, due.sha256));
    project.otherProblems.delete(problemKey(record.id));
    this.#unsynced.add(due.sha256);
  }

  /** Looks whether a record's bytes lie where they belong. */
  inspect(
    project: Project,
    collection: Collection,
    id: string,
    { whole = false, again = false }: Inspection = {},
  ): void {
    const record = project.index.table(collection.name).get(id);
    project.otherProblems.delete(problemKey(id));
    if (record === undefined) {
      project.bytesDue.delete(id);
      project.knownBytes.delete(id);
      return;
    }
    if (project.bytesDue.has(id) && project.pending.has(id)) return;
    const isDue = project.bytesDue.delete(id);
    const found = this.#placed(project, collection, record, whole);
    if (!('kind' in found)) return;
    const named = namedBy(collection, record);
    if (found.kind === 'missing_bytes' && (isDue || again) && this.#parts.staging.has(named)) {
      project.bytesDue.set(id, this.#due(named));
      project.await(id, collection.name, this.#parts.position());
      this.#parts.changed();
    } else project.otherProblems.set(problemKey(id), found);
  }

  /** The same for every record of a project. */
  inspectAll(project: Project, how: Inspection = {}): void {
    this.#listed = new Map();
    this.#real = new RealDirectories(this.#parts.disk, dirname(this.#parts.projectsDirectory));
    try {
      for (const collection of this.#collections)
        for (const { id } of [...project.index.table(collection.name).list()])
          this.inspect(project, collection, id, how);
    } finally {
      this.#listed = undefined;
      this.#real = undefined;
    }
  }

  /** Bytes were taken in: records that miss them get them back. */
  arrived(projects: Iterable<Project>): void {
    for (const project of projects) {
      for (const collection of this.#collections)
        for (const { id } of [...project.otherProblems.values()])
          if (
            id !== undefined &&
            project.otherProblems.has(problemKey(id)) &&
            project.index.collectionOf(id) === collection.name
          )
            this.inspect(project, collection, id, { again: true });
    }
  }

  /** Looks at the records whose bytes, files or directories lie at these paths, relative to the project. */
  look(project: Project, paths: Iterable<string>): void {
    for (const path of paths) {
      for (const collection of this.#collections) {
        const { place } = collection;
        const directory = 'directory' in place ? place.directory : '';
        if (path === '' || path === directory) this.inspectAll(project);
        else if (path.startsWith(`${directory}/`)) this.#lookAt(project, collection, path);
      }
    }
  }

  #lookAt(project: Project, collection: Collection, path: string): void {
    for (let dot = path.lastIndexOf('.'); dot > path.lastIndexOf('/'); dot = path.lastIndexOf('.', dot - 1)) {
      const state = project.files.at(`${path.slice(0, dot)}.json`);
      if (state !== undefined) return this.inspect(project, collection, state.id);
    }
  }

  /** Looks again at records that were changed from outside. */
  changed(project: Project, ids: Iterable<string>): void {
    if (this.#collections.length === 0) return;
    for (const id of ids) {
      const held = project.index.collectionOf(id);
      for (const collection of this.#collections)
        if (held === undefined || held === collection.name) this.inspect(project, collection, id);
    }
    for (const id of [...project.bytesDue.keys()]) {
      const collection = this.#parts.collections.get(project.index.collectionOf(id) ?? '');
      if (!project.pending.has(id) && collection !== undefined) this.inspect(project, collection, id);
    }
  }

  /** Removes from staging what no record waits for any more. */
  sweep(projects: Iterable<Project>): void {
    const keep = new Set(this.#unsynced);
    for (const project of projects) {
      for (const [id, { sha256 }] of [...project.bytesDue]) {
        if (project.index.record(id) === undefined) project.bytesDue.delete(id);
        else keep.add(sha256);
      }
    }
    this.#parts.staging.sweep(keep);
  }

  /** Bytes that have their place now, but not safely. */
  unsynced(): ReadonlySet<string> {
    return new Set(this.#unsynced);
  }

  /** These are safe in their place. */
  synced(hashes: ReadonlySet<string>): void {
    this.#unsynced = this.#unsynced.difference(hashes);
  }

  /** Bytes that wait for their place are read where they are staged. */
  #find(project: Project, collection: Collection, record: StoredRecord, whole: boolean): Found | Problem {
    const named = namedBy(collection, record);
    const staged = (): Found | undefined => {
      const path = this.#parts.staging.path(named.sha256);
      const stat = this.#parts.disk.stat(path);
      return stat?.kind === 'file' && stat.size === named.size ? { path, stat } : undefined;
    };
    const first = project.bytesDue.has(record.id) ? staged() : undefined;
    if (first !== undefined) return first;
    const placed = this.#placed(project, collection, record, whole);
    return 'kind' in placed ? (staged() ?? placed) : placed;
  }

  /** What lies beside the record's file; `whole` compares all of it where that was not done yet. */
  #placed(project: Project, collection: Collection, record: StoredRecord, whole: boolean): Found | Problem {
    const { disk, projectsDirectory } = this.#parts;
    const { id } = record;
    const state = project.files.served(id);
    const top = `${projectsDirectory}/${project.directory}`;
    const named = namedBy(collection, record);
    const problem = (path: string, kind: string, reason: string): Problem => ({ path, kind, reason, id, remedy });
    if (state === undefined)
      return problem(project.shownPath(collection.name), 'missing_bytes', 'The bytes are not here.');
    const place = this.#beside(top, collection, state.path, record);
    const path = `${top}/${place}`;
    const stat = (this.#real ?? new RealDirectories(disk, dirname(projectsDirectory))).stat(path);
    if (stat?.kind !== 'file')
      return problem(project.shownPath(place), 'missing_bytes', 'The bytes of the file are not here.');
    const differs = problem(
      project.shownPath(place),
      'changed_bytes',
      `The bytes are not those that ${nameOf(state.path)} names.`,
    );
    if (stat.size !== named.size) return differs;
    const sha256 = this.#hash(project, id, { path, stat }, whole);
    return sha256 === undefined || sha256 === named.sha256 ? { path, stat } : differs;
  }

  /** Of the bytes in a file. What nobody has read yet is undefined, and believed, until it changes or all of it is wanted. */
  #hash(project: Project, id: string, found: Found, whole: boolean): string | undefined {
    const seen = project.knownBytes.get(id);
    const isSame = seen?.path === found.path && isAsSeen(seen, found.stat);
    if (isSame && (seen.sha256 !== undefined || !whole)) return seen.sha256;
    const changed = seen !== undefined && !isSame;
    const sha256 = whole || changed ? hashOf(this.#parts.disk, found.path) : undefined;
    project.knownBytes.set(id, known(found, sha256));
    return sha256;
  }

  /** The files in a directory, listed once for all records of a project that miss their bytes. */
  #names(directory: string): readonly string[] {
    const listed = this.#listed?.get(directory);
    if (listed !== undefined) return listed;
    const names = this.#parts.disk.list(directory).flatMap(({ name, kind }) => (kind === 'file' ? [name] : []));
    this.#listed?.set(directory, names);
    return names;
  }

  /** Where a record's bytes lie: under its file's name, with their own ending; under another ending where a person chose one. */
  #beside(top: string, collection: Collection, recordPath: string, record: StoredRecord): string {
    const { disk } = this.#parts;
    const own = bytesPath(collection, recordPath, record);
    if (disk.stat(`${top}/${own}`) !== undefined) return own;
    const directory = directoryOf(recordPath);
    const stem = `${stemOf(collection, nameOf(recordPath))}.`;
    const others = this.#names(`${top}/${directory}`).filter(
      (name) => name.startsWith(stem) && !name.slice(stem.length).includes('.') && !name.endsWith('.json'),
    );
    return others.length === 1 ? `${directory}/${others[0]!}` : own;
  }
}

const remedy = 'Put the bytes back (git checkout, a backup), or upload the file again.';

function problemKey(id: string): string {
  return `bytes of ${id}`;
}

function namedBy({ bytes }: Collection, record: StoredRecord): StagedBytes {
  const members = membersOf(record);
  return { sha256: members[bytes!.sha256] as string, size: members[bytes!.size] as number };
}

/** Beside `logo.fil_1.json` lies `logo.fil_1.png`; bytes that are JSON themselves get an ending that is no record's. */
export function bytesPath(collection: Collection, recordPath: string, record: StoredRecord): string {
  const name = membersOf(record)[collection.bytes!.name] as string;
  const ending = (/\.([A-Za-z0-9]{1,16})$/.exec(name)?.[1] ?? 'bin').toLowerCase();
  const stem = stemOf(collection, nameOf(recordPath));
  return `${directoryOf(recordPath)}/${stem}.${ending === 'json' ? 'json.txt' : ending}`;
}

function known({ path, stat: { size, mtimeMs, ino } }: Found, sha256: string | undefined): KnownBytes {
  return { path, size, mtimeMs, ino, sha256 };
}

/** The time of the inode's last change is left out: it changes when the name in staging goes. */
function isAsSeen(seen: Omit<KnownBytes, 'path' | 'sha256'>, { size, mtimeMs, ino }: FileStat): boolean {
  return seen.size === size && seen.mtimeMs === mtimeMs && seen.ino === ino;
}

function hashOf(disk: Disk, path: string): string {
  const digest = createHash('sha256');
  for (const piece of piecesOf(disk, path, 0, Infinity)) digest.update(piece);
  return digest.digest('hex');
}

function* piecesOf(
  disk: Disk,
  path: string,
  start: number,
  end: number,
  expected?: FileStat,
): IterableIterator<Uint8Array> {
  const fd = disk.open(path, openFlags.read);
  try {
    if (expected !== undefined && !isAsSeen(expected, disk.statOpen(fd)))
      throw new Error(`${path} was changed while it was being read.`);
    for (let at = start; at < end;) {
      const piece = disk.readAt(fd, at, Math.min(pieceBytes, end - at));
      if (piece.length === 0 && end !== Infinity) throw new Error(`${path} was cut off while it was being read.`);
      if (piece.length === 0) return;
      yield piece;
      notePassed(piece.length);
      at += piece.length;
    }
  } finally {
    disk.close(fd);
  }
}

class OpenBytes implements RecordBytes {
  readonly size: number;
  readonly sha256: string;
  readonly #disk: Disk;
  readonly #found: Found;

  constructor(disk: Disk, found: Found, { sha256, size }: StagedBytes) {
    this.#disk = disk;
    this.#found = found;
    this.sha256 = sha256;
    this.size = size;
  }

  pieces(start = 0, end = this.size): IterableIterator<Uint8Array> {
    return piecesOf(this.#disk, this.#found.path, start, end, this.#found.stat);
  }
}
