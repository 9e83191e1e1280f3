import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { conflict } from '../../../base/errors.ts';
import type { Collection } from '../../record/collection.ts';
import { type Disk, type FileStat, openFlags } from '../disk/disk.ts';
import { trackTransientBytes } from '../../../platform/collect-garbage.ts';
import { directoryOf, nameOf, stemOf } from '../../record/locations.ts';
import type { KnownAttachment, Project } from '../project/project.ts';
import { RealDirectories } from '../disk/real-directories.ts';
import type { LookUps } from '../../record/look-ups.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';
import type { Staging } from './staging.ts';
import type { Steps } from '../../../base/slices.ts';
import type { Problem, RecordBytes, StagedBytes } from '../../record/read-transaction.ts';

/** The number of records per step of a rescan. */
const inspectedAtOnce = 16;
/** Attachments are read in pieces of this size. */
const pieceBytes = 64 * 1024;

export interface AttachmentFilesDeps {
  readonly disk: Disk;
  /** Absolute path of `projects/`. */
  readonly projectsDirectory: string;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly staging: Staging;
  readonly lookUps: LookUps;
  /** The journal position of the last change. */
  readonly durability: { readonly position: number };
}

/** Options of an inspection. */
export interface Inspection {
  /** Read and hash all bytes. */
  readonly verifyContent?: boolean;
  /**
   * Move missing bytes beside the record again if staging has them, because a power failure undid the move. Otherwise a
   * person removed them.
   */
  readonly restoreMissing?: boolean;
}

/** A file that contains the bytes that a record references. */
interface Found {
  readonly path: string;
  readonly stat: FileStat;
}

/**
 * Attachments: the bytes are in staging until a checkpoint moves them next to the record's file, and are served from
 * either. A person may change the file; bytes that differ from the record's hash are a listed problem.
 */
export class AttachmentFiles {
  readonly #deps: AttachmentFilesDeps;
  readonly #collections: readonly Collection[];
  /** Hashes of bytes that were moved beside their records since the last sync. */
  #unsynced = new Set<string>();
  /** Directory listings, cached while all records of a project are inspected. */
  #listed: Map<string, readonly string[]> | undefined;
  /** Which directories are not links, cached for as long. */
  #real: RealDirectories | undefined;

  constructor(deps: AttachmentFilesDeps) {
    this.#deps = deps;
    this.#collections = [...deps.collections.values()].filter(({ bytes }) => bytes !== undefined);
  }

  /**
   * A record's bytes. Undefined if the record has no bytes; throws `conflict` with the path if they are missing or
   * changed.
   */
  open(project: Project, name: string, id: string): RecordBytes | undefined {
    const collection = this.#deps.collections.get(name);
    const record = project.index.table(name).get(id);
    if (collection?.bytes === undefined || record === undefined) return undefined;
    const named = namedBy(collection, record);
    const found = this.#find(project, collection, record, true);
    if (!('kind' in found)) return new OpenBytes(this.#deps, found, named);
    const { path, reason } = found;
    throw conflict(`The bytes of ${id} cannot be read: ${path}: ${reason} ${remedy}`, { id, path });
  }

  /** Returns whether the bytes that a record is about to reference are stored. */
  isStored(project: Project, collection: Collection, record: StoredRecord): boolean {
    return (
      this.#deps.staging.has(namedBy(collection, record)) ||
      !('kind' in this.#findBesideRecord(project, collection, record, false))
    );
  }

  /** Marks the bytes of a record that is being committed as pending. */
  markPending(project: Project, collection: Collection, record: StoredRecord): void {
    const named = namedBy(collection, record);
    if (this.#deps.staging.has(named)) project.pendingAttachments.set(record.id, this.#pendingOf(named));
  }

  #pendingOf(named: StagedBytes): StagedBytes & { readonly from: string } {
    return { ...named, from: this.#deps.staging.path(named.sha256) };
  }

  /** Called after the record's file was written, and its bytes before it. */
  onRecordWritten(project: Project, collection: Collection, record: StoredRecord): void {
    const due = project.pendingAttachments.get(record.id);
    if (collection.bytes === undefined || due === undefined) return;
    project.pendingAttachments.delete(record.id);
    const found = this.#findBesideRecord(project, collection, record, false);
    if ('kind' in found) return this.inspect(project, collection, record.id);
    project.knownAttachments.set(record.id, known(found, due.sha256));
    project.otherProblems.delete(problemKey(record.id));
    this.#unsynced.add(due.sha256);
  }

  /** Checks whether a record's bytes are next to its file. */
  inspect(
    project: Project,
    collection: Collection,
    id: string,
    { verifyContent = false, restoreMissing = false }: Inspection = {},
  ): void {
    const record = project.index.table(collection.name).get(id);
    project.otherProblems.delete(problemKey(id));
    if (record === undefined) {
      project.pendingAttachments.delete(id);
      project.knownAttachments.delete(id);
      return;
    }
    if (project.pendingAttachments.has(id) && project.dirty.has(id)) return;
    const isDue = project.pendingAttachments.delete(id);
    const found = this.#findBesideRecord(project, collection, record, verifyContent);
    if (!('kind' in found)) return;
    const named = namedBy(collection, record);
    if (found.kind === 'missing_bytes' && (isDue || restoreMissing) && this.#deps.staging.has(named)) {
      project.pendingAttachments.set(id, this.#pendingOf(named));
      project.dirty.mark(id, collection.name, this.#deps.durability.position);
      project.queue.add({ kind: 'checkpoint' });
    } else project.otherProblems.set(problemKey(id), found);
  }

  /** Checks every record of a project. */
  inspectAll(project: Project, how: Inspection = {}): void {
    for (const collection of this.#collections) {
      const ids = [...project.index.table(collection.name).list()].map(({ id }) => id);
      this.#inspectTogether(project, collection, ids, how);
    }
  }

  #inspectTogether(project: Project, collection: Collection, ids: readonly string[], how: Inspection = {}): void {
    this.#listed = new Map();
    this.#real = new RealDirectories(this.#deps.disk, dirname(this.#deps.projectsDirectory));
    try {
      for (const id of ids) this.inspect(project, collection, id, how);
    } finally {
      this.#listed = undefined;
      this.#real = undefined;
    }
  }

  /** Called after bytes were staged: restores records that miss them. */
  onStaged(projects: Iterable<Project>): void {
    for (const project of projects) {
      for (const collection of this.#collections)
        for (const { id } of [...project.otherProblems.values()])
          if (
            id !== undefined &&
            project.otherProblems.has(problemKey(id)) &&
            project.index.collectionOf(id) === collection.name
          )
            this.inspect(project, collection, id, { restoreMissing: true });
    }
  }

  /** Inspects the records whose bytes, files or directories are at these paths, relative to the project. */
  *inspectPaths(project: Project, paths: Iterable<string>): Steps<void> {
    for (const path of paths) {
      for (const collection of this.#collections) {
        const { location } = collection;
        const directory = 'directory' in location ? location.directory : '';
        if (path === '' || path === directory) yield* this.#inspectCollection(project, collection);
        else if (path.startsWith(`${directory}/`)) this.#inspectPath(project, collection, path);
      }
      yield;
    }
  }

  *#inspectCollection(project: Project, collection: Collection): Steps<void> {
    const ids = [...project.index.table(collection.name).list()].map(({ id }) => id);
    for (let at = 0; at < ids.length; at += inspectedAtOnce) {
      this.#inspectTogether(project, collection, ids.slice(at, at + inspectedAtOnce));
      yield;
    }
  }

  #inspectPath(project: Project, collection: Collection, path: string): void {
    for (let dot = path.lastIndexOf('.'); dot > path.lastIndexOf('/'); dot = path.lastIndexOf('.', dot - 1)) {
      const state = project.files.at(`${path.slice(0, dot)}.json`);
      if (state !== undefined) return this.inspect(project, collection, state.id);
    }
  }

  /** Inspects records after external edits. */
  inspectChanged(project: Project, ids: Iterable<string>): void {
    if (this.#collections.length === 0) return;
    for (const id of ids) {
      const held = project.index.collectionOf(id);
      for (const collection of this.#collections)
        if (held === undefined || held === collection.name) this.inspect(project, collection, id);
    }
    for (const id of [...project.pendingAttachments.keys()]) {
      const collection = this.#deps.collections.get(project.index.collectionOf(id) ?? '');
      if (!project.dirty.has(id) && collection !== undefined) this.inspect(project, collection, id);
    }
  }

  /** Removes from staging what no record references any more. */
  sweep(projects: Iterable<Project>): void {
    const keep = new Set(this.#unsynced);
    for (const project of projects) {
      for (const [id, { sha256 }] of [...project.pendingAttachments]) {
        if (project.index.record(id) === undefined) project.pendingAttachments.delete(id);
        else keep.add(sha256);
      }
    }
    this.#deps.staging.sweep(keep);
  }

  /** Hashes of bytes that are beside their records and not synced yet. */
  unsynced(): ReadonlySet<string> {
    return new Set(this.#unsynced);
  }

  /** Marks these hashes as synced. */
  markSynced(hashes: ReadonlySet<string>): void {
    this.#unsynced = this.#unsynced.difference(hashes);
  }

  /** Pending bytes are read from staging. */
  #find(project: Project, collection: Collection, record: StoredRecord, whole: boolean): Found | Problem {
    const named = namedBy(collection, record);
    const staged = (): Found | undefined => {
      const path = this.#deps.staging.path(named.sha256);
      const stat = this.#deps.disk.stat(path);
      return stat?.kind === 'file' && stat.size === named.size ? { path, stat } : undefined;
    };
    const first = project.pendingAttachments.has(record.id) ? staged() : undefined;
    if (first !== undefined) return first;
    const placed = this.#findBesideRecord(project, collection, record, whole);
    return 'kind' in placed ? (staged() ?? placed) : placed;
  }

  /** The file beside the record's file; `whole` verifies its hash if that has not been done yet. */
  #findBesideRecord(project: Project, collection: Collection, record: StoredRecord, whole: boolean): Found | Problem {
    const { disk, projectsDirectory } = this.#deps;
    const { id } = record;
    const state = project.files.served(id);
    const top = `${projectsDirectory}/${project.directory}`;
    const named = namedBy(collection, record);
    const problem = (path: string, kind: string, reason: string): Problem => ({ path, kind, reason, id, remedy });
    if (state === undefined)
      return problem(project.shownPath(collection.name), 'missing_bytes', 'The bytes are missing.');
    const place = this.#pathBesideRecord(top, collection, state.path, record);
    const path = `${top}/${place}`;
    const stat = (this.#real ?? new RealDirectories(disk, dirname(projectsDirectory))).stat(path);
    if (stat?.kind !== 'file')
      return problem(project.shownPath(place), 'missing_bytes', 'The bytes of the file are missing.');
    const differs = problem(
      project.shownPath(place),
      'changed_bytes',
      `The bytes differ from the hash in ${nameOf(state.path)}.`,
    );
    if (stat.size !== named.size) return differs;
    const sha256 = this.#hash(project, id, { path, stat }, whole);
    return sha256 === undefined || sha256 === named.sha256 ? { path, stat } : differs;
  }

  /**
   * The hash of the bytes in a file. Bytes that have not been read yet are undefined and assumed to be right, until the
   * file changes or `whole` is set.
   */
  #hash(project: Project, id: string, found: Found, whole: boolean): string | undefined {
    const seen = project.knownAttachments.get(id);
    const isSame = seen?.path === found.path && isAsSeen(seen, found.stat);
    if (isSame && (seen.sha256 !== undefined || !whole)) return seen.sha256;
    const changed = seen !== undefined && !isSame;
    const sha256 = whole || changed ? this.#hashOf(found) : undefined;
    project.knownAttachments.set(id, known(found, sha256));
    return sha256;
  }

  #hashOf({ path, stat }: Found): string {
    const { disk, lookUps } = this.#deps;
    const key = `hash of ${path} ${stat.ino} ${stat.size} ${stat.mtimeMs}`;
    return lookUps.get(key, {
      now: () => hashOf(disk, path),
      later: async () => [[key, await hashOfAsync(disk, path)]],
    });
  }

  /** The files in a directory, listed once for all records of a project whose bytes are missing. */
  #names(directory: string): readonly string[] {
    const listed = this.#listed?.get(directory);
    if (listed !== undefined) return listed;
    const names = this.#deps.disk.list(directory).flatMap(({ name, kind }) => (kind === 'file' ? [name] : []));
    this.#listed?.set(directory, names);
    return names;
  }

  /**
   * The path of a record's bytes: the name of the record's file with the bytes' own ending, or with another ending that
   * a person chose.
   */
  #pathBesideRecord(top: string, collection: Collection, recordPath: string, record: StoredRecord): string {
    const { disk } = this.#deps;
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

/**
 * The bytes of `logo.fil_1.json` are in `logo.fil_1.png`; bytes that are JSON themselves get an ending that no record
 * has.
 */
export function bytesPath(collection: Collection, recordPath: string, record: StoredRecord): string {
  const name = membersOf(record)[collection.bytes!.name] as string;
  const ending = (/\.([A-Za-z0-9]{1,16})$/.exec(name)?.[1] ?? 'bin').toLowerCase();
  const stem = stemOf(collection, nameOf(recordPath));
  return `${directoryOf(recordPath)}/${stem}.${ending === 'json' ? 'json.txt' : ending}`;
}

function known({ path, stat: { size, mtimeMs, ino } }: Found, sha256: string | undefined): KnownAttachment {
  return { path, size, mtimeMs, ino, sha256 };
}

/** Ignores the ctime: it changes when the name in staging is removed. */
function isAsSeen(seen: Omit<KnownAttachment, 'path' | 'sha256'>, { size, mtimeMs, ino }: FileStat): boolean {
  return seen.size === size && seen.mtimeMs === mtimeMs && seen.ino === ino;
}

function hashOf(disk: Disk, path: string): string {
  const digest = createHash('sha256');
  const fd = disk.open(path, openFlags.read);
  try {
    for (let at = 0; ;) {
      const piece = disk.readAt(fd, at, pieceBytes);
      if (piece.length === 0) return digest.digest('hex');
      digest.update(piece);
      trackTransientBytes(piece.length);
      at += piece.length;
    }
  } finally {
    disk.close(fd);
  }
}

async function hashOfAsync(disk: Disk, path: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const piece of piecesOf(disk, path, 0, Infinity)) digest.update(piece);
  return digest.digest('hex');
}

async function* piecesOf(
  disk: Disk,
  path: string,
  start: number,
  end: number,
  expected?: FileStat,
): AsyncIterableIterator<Uint8Array> {
  const fd = disk.open(path, openFlags.read);
  try {
    if (expected !== undefined) requireSame(path, expected, disk.statOpen(fd));
    for (let at = start; at < end;) {
      const piece = await disk.readAtAsync(fd, at, Math.min(pieceBytes, end - at));
      if (piece.length === 0 && end !== Infinity) throw cutOff(path);
      if (piece.length === 0) return;
      yield piece;
      trackTransientBytes(piece.length);
      at += piece.length;
    }
  } finally {
    disk.close(fd);
  }
}

function requireSame(path: string, expected: FileStat, stat: FileStat): void {
  if (!isAsSeen(expected, stat)) throw new Error(`${path} was changed while it was being read.`);
}

function cutOff(path: string): Error {
  return new Error(`${path} was cut off while it was being read.`);
}

class OpenBytes implements RecordBytes {
  readonly size: number;
  readonly sha256: string;
  readonly #deps: Pick<AttachmentFilesDeps, 'disk' | 'lookUps'>;
  readonly #found: Found;

  constructor(deps: Pick<AttachmentFilesDeps, 'disk' | 'lookUps'>, found: Found, { sha256, size }: StagedBytes) {
    this.#deps = deps;
    this.#found = found;
    this.sha256 = sha256;
    this.size = size;
  }

  pieces(start = 0, end = this.size): AsyncIterableIterator<Uint8Array> {
    return piecesOf(this.#deps.disk, this.#found.path, start, end, this.#found.stat);
  }

  whole(): Uint8Array {
    const { disk, lookUps } = this.#deps;
    const { path, stat } = this.#found;
    const key = `bytes of ${path} ${this.sha256}`;
    return lookUps.get(key, {
      now: () => {
        const fd = disk.open(path, openFlags.read);
        try {
          requireSame(path, stat, disk.statOpen(fd));
          return disk.readAll(fd);
        } finally {
          disk.close(fd);
        }
      },
      later: async () => [[key, await joined(this.pieces())]],
    });
  }
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}
