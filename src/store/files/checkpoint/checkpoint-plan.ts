import { extname } from 'node:path';
import { idInName } from '../../../base/ids.ts';
import { titleName } from '../../record/file-name.ts';
import { fileFields, pathFields, sameOnDisk } from '../../record/assemble.ts';
import type { CheckpointJob, AttachmentPlacement, FolderJob, Rendering } from './checkpoint-job.ts';
import type { Collection } from '../../record/collection.ts';
import { type FolderRow, noRows, type RowsChange, rowsFile } from '../../record/folder-rows.ts';
import { type FileState, isUnreadable, lacksId } from '../project/file-table.ts';
import {
  directoryOf,
  folderFile,
  folderMember,
  isServiceName,
  nameOf,
  rowKey,
  rowOf,
  serviceName,
  stemOf,
  treeOf,
} from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import { equal } from '../../record/plain.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';
import { shapeAt } from '../../record/shapes.ts';
import { derivedTitle } from '../codec/derived-title.ts';
import { bytesPath } from './attachment-files.ts';
import { renderFields, shortText } from './render.ts';
import type { ServiceRecords } from '../../replica/service-records.ts';
import { keptFileOf } from './file-by-person.ts';

/** A job with the state to record once it is done. */
export interface PlannedWrite {
  readonly job: CheckpointJob;
  readonly project: Project;
  readonly id: string;
  readonly collection: Collection;
  /** The value of the file afterwards; undefined if it is removed. */
  readonly record: StoredRecord | undefined;
  /** The file's state when the job was planned. */
  readonly former: FileState | undefined;
  /** Relative to the project. For a directory that moves: its new path. */
  readonly path: string;
  /** The fields that the file does not state afterwards, or in another form. */
  readonly unstated: readonly string[];
}

export interface CheckpointPlanOptions {
  /** The project's, absolute. */
  readonly directory: string;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly durablePosition: number;
  readonly service: ServiceRecords;
}

/** A record with more links counts as several writes: planning one encodes its links. */
const linksPerWrite = 64;

/** Plans the jobs that write a project's dirty records back. */
export class CheckpointPlan {
  readonly #project: Project;
  readonly #root: string;
  readonly #collections: ReadonlyMap<string, Collection>;
  readonly #service: ServiceRecords;
  readonly #durablePosition: number;
  /**
   * True if records were skipped because a change of theirs is not durable yet: the journal is written before the
   * files.
   */
  skippedNotDurable = false;
  /** Paths that this plan will write, so that two new records do not get one name. */
  readonly #taken = new Set<string>();

  constructor(project: Project, { directory, collections, durablePosition, service }: CheckpointPlanOptions) {
    this.#service = service;
    this.#durablePosition = durablePosition;
    this.#project = project;
    this.#root = directory;
    this.#collections = collections;
  }

  /**
   * Returns at most `most` writes, fewer if they have many links, of records that are not being written already. Moves of directories are planned
   * alone, when no other write is in progress, because the files in them have new paths afterwards. Records that need
   * no write are clean.
   */
  next(most: number): PlannedWrite[] {
    const { claims, dirty } = this.#project;
    if (claims.hasFolder) return [];
    const moves: PlannedWrite[] = [];
    const writes: PlannedWrite[] = [];
    let left = most;
    for (const [id, life] of dirty) {
      if (left <= 0) break;
      if (life.kind === 'writing' || life.kind === 'unverified' || dirty.parkedBy(life) !== undefined) continue;
      if (life.latest > this.#durablePosition) {
        this.skippedNotDurable = true;
        continue;
      }
      const planned = this.#plan(id, life.collection, life.force);
      const by = planned === 'wait' ? this.#blockerOf(id, life.collection) : undefined;
      if (by !== undefined || life.kind === 'blocked') dirty.on(id, { kind: 'blocked', by });
      if (planned === undefined) dirty.on(id, { kind: 'settled' });
      else if (planned !== 'wait') {
        (planned.job.kind === 'moveDirectory' ? moves : writes).push(planned);
        left -= 1 + Math.floor(this.#linksOf(id, life.collection) / linksPerWrite);
      }
    }
    if (moves.length > 0 && claims.any) return [];
    const plan = moves.length > 0 ? apart(moves) : writes.sort(byKind);
    for (const { id } of plan) dirty.on(id, { kind: 'planned' });
    return plan;
  }

  #linksOf(id: string, collection: string): number {
    return this.#project.index.table(collection).get(id)?.links?.length ?? 0;
  }

  /**
   * The dirty record that blocks another: its folder, or the one that blocks the folder; for a folder that moves, a
   * parked file in it.
   */
  #blockerOf(id: string, name: string): string | undefined {
    const { dirty, files, index } = this.#project;
    const collection = this.#collections.get(name);
    const record = index.record(id);
    const field = folderMember(collection);
    const folder = field === undefined || record === undefined ? undefined : membersOf(record)[field];
    if (typeof folder === 'string' && dirty.has(folder)) {
      const above = dirty.get(folder);
      return above.kind === 'blocked' ? above.by : folder;
    }
    const former = collection?.location.kind === 'folder' ? files.served(id) : undefined;
    if (former === undefined) return undefined;
    return files.below(directoryOf(former.path)).find((state) => dirty.get(state.id).kind === 'parked')?.id;
  }

  #plan(id: string, name: string, force: boolean): PlannedWrite | 'wait' | undefined {
    const collection = this.#collections.get(name);
    const record = this.#project.index.table(name).get(id);
    const former = this.#project.files.served(id);
    if (collection === undefined || (record === undefined && former === undefined)) return undefined;
    // An unreadable file is not overwritten: the change waits until a person has repaired it, or it could be read.
    if (isUnreadable(former)) return 'wait';
    // As long as its file is being written, a missing one does not count as deleted: retries would go on for ever.
    if (former !== undefined && this.#project.undecided.isVanished(former.path)) return 'wait';
    if (collection.location.kind === 'folder') return this.#planFolder(collection, id, record, former, force);
    if (record === undefined)
      return former === undefined ? undefined : this.#write(collection, id, undefined, former, former.path);
    const path = this.#pathOf(collection, record, former);
    if (path === undefined) return 'wait';
    const same = former !== undefined && isInFile(collection, former, record);
    const complete = !this.#project.pendingAttachments.has(id);
    if (same && complete && path === former.path && !(force && lacksId(former))) return this.#isWritten(former, record);
    return this.#write(collection, id, record, former, path);
  }

  /**
   * The record's path: its current path, unless the service named the file after a former title, or its folder changed.
   */
  #pathOf(collection: Collection, record: StoredRecord, former: FileState | undefined): string | undefined {
    const { location } = collection;
    if (location.kind === 'single') return location.file;
    const directory = this.#directoryFor(collection, record);
    if (directory === undefined) return undefined;
    const named = former?.record === undefined ? undefined : serviceName(collection, former.record);
    const kept = former === undefined ? keptFileOf(this.#service, this.#project.id, record.id)?.path : undefined;
    const keeps = former !== undefined && (location.kind === 'key' || !isServiceName(nameOf(former.path), named));
    const own = serviceName(collection, record);
    // Keep a name that a person gave, with the ending of the record's present format.
    const given = keeps ? former.path : kept;
    const name = given === undefined ? own : stemOf(collection, nameOf(given)) + extname(own);
    return this.#free(`${directory}/${name}`, record, former);
  }

  #directoryFor(collection: Collection, record: StoredRecord): string | undefined {
    const { location } = collection;
    if (location.kind === 'single') return '';
    const fields = membersOf(record);
    if (location.kind === 'grouped') return `${location.directory}/${titleName(String(fields[location.group]))}`;
    if (location.kind !== 'tree') return location.directory;
    const folder = fields[location.folder];
    // A folder without a directory is created first; the document follows in the next round.
    if (
      typeof folder === 'string' &&
      this.#project.files.served(folder) === undefined &&
      this.#project.index.record(folder) !== undefined
    )
      return undefined;
    return this.#project.directoryOfFolder(folder, location.directory);
  }

  /** A path that no other record has, ignoring letter case: appends more of the id until it is free. */
  #free(path: string, record: StoredRecord, former: FileState | undefined): string {
    for (const suffix of ['', `.${idInName(record.id).slice(-8)}`, `.${idInName(record.id)}`]) {
      const dot = path.lastIndexOf('.');
      const candidate = suffix === '' ? path : `${path.slice(0, dot)}${suffix}${path.slice(dot)}`;
      const occupant = this.#project.files.occupant(candidate);
      const free = occupant === undefined || occupant === former?.path;
      const folded = candidate.toLowerCase();
      const taken = this.#taken.has(folded) || this.#project.claims.hasFolded(candidate);
      if (free && (!taken || candidate === former?.path)) {
        this.#taken.add(folded);
        return candidate;
      }
    }
    return path;
  }

  #write(
    collection: Collection,
    id: string,
    record: StoredRecord | undefined,
    former: FileState | undefined,
    path: string,
  ): PlannedWrite {
    const expect = former?.sha256 == null ? null : { sha256: former.sha256 };
    const from = former?.sha256 != null && former.path !== path ? { from: this.#absolute(former.path) } : {};
    const kept = record === undefined || former !== undefined ? undefined : this.#restored(collection, record, path);
    const unstated = record === undefined ? [] : (kept?.unstated ?? unstatedFields(collection, record, former, path));
    const content =
      record === undefined
        ? { bytes: null }
        : kept === undefined
          ? this.#content(collection, id, record, former, unstated)
          : { bytes: kept.bytes };
    const dated =
      record !== undefined && !collection.shape.fields.some(({ name }) => name === 'created_at')
        ? { mtimeMs: Date.parse(record.created_at) }
        : {};
    const job: CheckpointJob = {
      key: id,
      kind: 'file',
      path: this.#absolute(path),
      expect,
      ...this.#folderOf(collection, path),
      ...from,
      ...content,
      ...dated,
      ...(record !== undefined && (kept !== undefined || !isKnownByName(collection, record, path))
        ? { durable: true }
        : {}),
      ...this.#bytesOf(collection, record, path),
    };
    return { job, project: this.#project, id, collection, record, former, path, unstated };
  }

  /** The file of a restored record, with what a person wrote into it. Undefined if there is none, or if it does not fit any more. */
  #restored(
    collection: Collection,
    record: StoredRecord,
    path: string,
  ): { readonly bytes: Uint8Array; readonly unstated: readonly string[] } | undefined {
    const kept = keptFileOf(this.#service, this.#project.id, record.id);
    if (kept?.text == null || extname(kept.path) !== extname(path)) return undefined;
    // A title that was derived from the file's name is written if the name is another one.
    const unstated = nameOf(kept.path) === nameOf(path) ? kept.unstated : [];
    const present = { bytes: Buffer.from(kept.text), path };
    const fields = fileFields(collection, record);
    try {
      const { code } = this.#project;
      return { bytes: renderFields(collection.shape, code, record.id, fields, present, unstated), unstated };
    } catch {
      return undefined;
    }
  }

  #content(
    collection: Collection,
    id: string,
    record: StoredRecord,
    former: FileState | undefined,
    keep: readonly string[],
  ): { readonly bytes: string } | { readonly render: Rendering } {
    const { code } = this.#project;
    const fields = fileFields(collection, record);
    const bytes = former === undefined ? shortText(collection.shape, code, id, fields) : undefined;
    if (bytes !== undefined) return { bytes };
    const whole = former?.content === 'unknown' ? { whole: true } : {};
    return { render: { shape: collection.name, code, id, fields, ...(keep.length > 0 && { keep }), ...whole } };
  }

  #bytesOf(
    collection: Collection,
    record: StoredRecord | undefined,
    path: string,
  ): { readonly attachment?: AttachmentPlacement } {
    const due = record && this.#project.pendingAttachments.get(record.id);
    if (record === undefined || due === undefined) return {};
    return { attachment: { ...due, to: this.#absolute(bytesPath(collection, path, record)) } };
  }

  #planFolder(
    collection: Collection,
    id: string,
    record: StoredRecord | undefined,
    former: FileState | undefined,
    force: boolean,
  ): PlannedWrite | 'wait' | undefined {
    if (record === undefined) return former === undefined ? undefined : this.#removeFolder(collection, id, former);
    if (collection.location.kind !== 'folder') return undefined;
    const fields = membersOf(record);
    const parent = fields[collection.location.parent];
    if (typeof parent === 'string' && this.#project.files.served(parent) === undefined) return 'wait';
    const { directory: top } = collection.location;
    const above = this.#project.directoryOfFolder(parent, top);
    const isMoved = former !== undefined && this.#moves(collection, record, former);
    const path = former === undefined || isMoved ? this.#freeFolder(above, record, former) : former.path;
    const planned = { project: this.#project, id, collection, record, former, path, unstated: [] };
    const to = this.#absolute(directoryOf(path));
    if (former !== undefined && former.path !== path) {
      const from = directoryOf(former.path);
      if (this.#lacksIds(id, from)) return 'wait';
      const rows = this.#rows(top, { ...this.#rowsOfMove(former, record, path), drop: [] });
      return {
        ...planned,
        job: {
          key: id,
          kind: 'moveDirectory',
          from: this.#absolute(from),
          to,
          rows,
          ...this.#folderOf(collection, path),
        },
      };
    }
    const set = new Map([[rowKey(directoryOf(path)), rowOf(record, path)]]);
    // A directory that a person made is a folder without a row.
    const isSame = former !== undefined && isInFile(collection, former, record);
    if (isSame && !force) return this.#isWritten(former, record);
    return {
      ...planned,
      job: {
        key: id,
        kind: 'makeDirectory',
        path: to,
        rows: this.#rows(top, { set, drop: [] }),
        // A directory that was there is not made again: a person renames or removes it.
        ...(former === undefined ? this.#folderOf(collection, path) : { folder: to }),
      },
    };
  }

  #rows(top: string, change: RowsChange): FolderJob['rows'] {
    return { file: this.#absolute(`${top}/${rowsFile}`), ...change };
  }

  /** The rows of a folder that moves, and of all below it: ids that paths derived belong to the folders, too. */
  #rowsOfMove(former: FileState, record: StoredRecord, path: string): Pick<RowsChange, 'set' | 'former'> {
    const [from, to] = [directoryOf(former.path), directoryOf(path)];
    const set = new Map<string, FolderRow>();
    const before = new Map<string, FolderRow>();
    for (const state of this.#project.files.below(from)) {
      if (nameOf(state.path) !== folderFile || state.record === undefined) continue;
      const directory = directoryOf(state.path);
      const row = rowOf(state.record, state.path);
      before.set(rowKey(directory), row);
      set.set(rowKey(`${to}${directory.slice(from.length)}`), state === former ? rowOf(record, path) : row);
    }
    return { set, former: before };
  }

  /** Nothing is to be written: what the file does not state, as the time of the change, belongs to the file's record too. */
  #isWritten(former: FileState, record: StoredRecord): undefined {
    if (former.record !== record) this.#project.files.set({ ...former, record });
  }

  #moves(collection: Collection, record: StoredRecord, former: FileState): boolean {
    const now = membersOf(record);
    const before = former.record && membersOf(former.record);
    return pathFields(collection).some((field) => before?.[field] !== now[field]);
  }

  #freeFolder(above: string, record: StoredRecord, former: FileState | undefined): string {
    const name = titleName(String(membersOf(record)['name']));
    for (const suffix of ['', `.${record.id.slice(-4)}`, `.${record.id}`]) {
      const path = `${above}/${name}${suffix}/${folderFile}`;
      const occupant = this.#project.files.occupant(path);
      const taken = this.#taken.has(path.toLowerCase()) || this.#project.claims.hasFolded(path);
      if ((occupant === undefined || occupant === former?.path) && !taken) {
        this.#taken.add(path.toLowerCase());
        return path;
      }
    }
    return `${above}/${record.id}/${folderFile}`;
  }

  /** Ids that are derived from paths are written to the files before the paths change. Returns whether some are not yet. */
  #lacksIds(id: string, directory: string): boolean {
    const { dirty, files } = this.#project;
    const withoutId = files
      .below(directory)
      .filter((state) => nameOf(state.path) !== folderFile && lacksId(state) && state.unreadable === undefined);
    const life = dirty.get(id);
    const position = life.kind === 'clean' ? 0 : life.position;
    for (const state of withoutId) dirty.mark(state.id, state.collection, position, true);
    return withoutId.length > 0;
  }

  /** Files that move out of a folder are moved before its directory is removed. */
  #removeFolder(collection: Collection, id: string, former: FileState): PlannedWrite | 'wait' {
    const { files, dirty } = this.#project;
    const directory = directoryOf(former.path);
    if (files.below(directory).some((state) => state.id !== id && dirty.has(state.id))) return 'wait';
    const rows = this.#rows(treeOf(directory), { set: noRows, drop: [id] });
    const job: CheckpointJob = { key: id, kind: 'removeDirectoryIfEmpty', path: this.#absolute(directory), rows };
    return { job, project: this.#project, id, collection, record: undefined, former, path: former.path, unstated: [] };
  }

  /** The directory of the folder that a path is in; none at the top. */
  #folderOf({ location }: Collection, path: string): { readonly folder?: string } {
    if (location.kind !== 'tree' && location.kind !== 'folder') return {};
    const directory = directoryOf(path);
    const folder = location.kind === 'tree' ? directory : directoryOf(directory);
    return folder === location.directory ? {} : { folder: this.#absolute(folder) };
  }

  #absolute(path: string): string {
    return `${this.#root}/${path}`;
  }
}

/**
 * The fields of a file that stay as they are in it: those whose value is not the file's, and did not change. A derived
 * title is written once the file's new name would give another one.
 */
function unstatedFields(
  collection: Collection,
  record: StoredRecord,
  former: FileState | undefined,
  path: string,
): readonly string[] {
  if (former?.unstated === undefined || former.record === undefined || former.content === 'unknown') return [];
  // A file of another format is written as a whole.
  if (extname(former.path) !== extname(path)) return [];
  const [before, now] = [membersOf(former.record), membersOf(record)];
  const { format, body } = shapeAt(collection.shape, path);
  // Reading a large text takes time, and only a page has its title in it.
  const fields = format === 'html' && body !== undefined ? { [body]: now[body] } : {};
  const title = derivedTitle(collection, path, record.id, fields);
  return former.unstated.filter(
    (name) => equal(before[name], now[name]) && (title?.field !== name || title.value === now[name]),
  );
}

/** Whether the file's name identifies the record, in case a power failure leaves the file empty. */
function isKnownByName(collection: Collection, record: StoredRecord, path: string): boolean {
  const { kind } = collection.location;
  return kind !== 'single' && kind !== 'folder' && nameOf(path) === serviceName(collection, record);
}

/** Whether a file is known to contain this value. A torn file contains none, one that was not read may have another. */
function isInFile(collection: Collection, { record: known, content }: FileState, record: StoredRecord): boolean {
  return known !== undefined && (content === undefined || content === 'stale') && sameOnDisk(collection, known, record);
}

/** The moves whose directories do not lie in each other: one of them changes the paths of the other. */
function apart(moves: readonly PlannedWrite[]): PlannedWrite[] {
  const chosen: PlannedWrite[] = [];
  const ends = ({ job, path }: PlannedWrite): string[] => (job.kind === 'moveDirectory' ? [job.from, job.to] : [path]);
  const isIn = (inner: string, outer: string): boolean => `${inner}/`.startsWith(`${outer}/`);
  for (const move of moves) {
    const taken = chosen.flatMap(ends);
    if (!ends(move).some((end) => taken.some((other) => isIn(end, other) || isIn(other, end)))) chosen.push(move);
  }
  return chosen;
}

/** Files are written and moved before others are removed: a document leaves its folder before the folder is removed. */
function byKind(a: PlannedWrite, b: PlannedWrite): number {
  const rank = ({ job, record }: PlannedWrite): number =>
    job.kind === 'removeDirectoryIfEmpty' ? 2 : record === undefined ? 1 : 0;
  return rank(a) - rank(b) || (rank(a) === 2 ? b.path.length - a.path.length : 0);
}
