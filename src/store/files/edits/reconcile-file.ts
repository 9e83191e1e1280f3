import type { Collection } from '../../record/collection.ts';
import {
  directoryOf,
  folderFile,
  idByPath,
  keepsIdOnRename,
  movedRow,
  rowKey,
  treeOf,
} from '../../record/locations.ts';
import type { FileStat } from '../disk/disk.ts';
import { sha256Of } from '../disk/sha256.ts';
import { emptyFileGraceMs } from '../life/path-life.ts';
import { type FileState, isAsKnown, stampOf, valuesIn, withStamp } from '../project/file-table.ts';
import type { Project } from '../project/project.ts';
import { folderState } from './folder-state.ts';
import { missingProjectState } from './missing-project-file.ts';
import { type Arrival, isSameInode } from './renamed-files.ts';
import { fileBytesMax, oversizedState, pathFieldsChanged, readState } from './read-state.ts';
import { isSegment, reconcileSegment } from './reconcile-segment.ts';
import type { Rescan, RescanDeps } from './rescan.ts';

/** Whether this stat is that of the known file of a record, and its path still says the same of the record. */
export function matchesState(
  deps: RescanDeps,
  project: Project,
  collection: Collection,
  former: FileState,
  stat: FileStat,
): boolean {
  return isAsKnown(former, stat) && !pathFieldsChanged(deps, project, collection, former);
}

/**
 * A directory of a tree is a folder. Returns the files and folders in it, to be read again because the folder's id
 * changed.
 */
export function reconcileFolder(scan: Rescan, path: string): readonly string[] {
  const { project } = scan;
  if (project.claims.blocks(path)) {
    scan.retry(path);
    return [];
  }
  const collection = scan.deps.locations.at(path);
  const directory = directoryOf(path);
  const stat = scan.realDirectories.stat(scan.absolute(directory));
  const former = project.files.at(path);
  if (collection === undefined) return [];
  if (stat?.kind !== 'directory') {
    // A folder with a row waits for the directory to arrive under another name, as a file does.
    if (former !== undefined && (!former.hasExplicitId || scan.isGone(path))) scan.vanished.push(former);
    return [];
  }
  project.undecided.on(path, { kind: 'seen' });
  if (former === undefined) followDirectory(scan, directory, stat);
  const state = folderState(scan.context, { collection, path, stat }, former);
  if (state.hasExplicitId && !project.rows.has(rowKey(directory))) scan.forced.push(state);
  if (state === former) return [];
  scan.replace(state);
  // The id that its path derives first is that of another folder: this one stays, although that one may go.
  if (!state.hasExplicitId && state.id !== idByPath(collection, project.code, project.id, path))
    scan.forced.push(state);
  if (former !== undefined && former.id === state.id) return [];
  const below = project.files.below(directory).map((one) => one.path);
  return below.filter((one) => one !== path);
}

/** A directory that a person has renamed keeps its row: it has the inode of one that is missing now. */
function followDirectory(scan: Rescan, directory: string, stat: FileStat): void {
  const { project } = scan;
  const tree = treeOf(directory);
  const key = rowKey(directory);
  if (project.rows.has(key)) return;
  for (const [former, row] of project.rows) {
    const moved = project.files.at(`${tree}/${former}/${folderFile}`);
    if (moved?.id !== row.id || !isSameInode(stat, moved)) continue;
    if (scan.realDirectories.stat(scan.absolute(moved.path)) !== undefined) continue;
    project.changeRows({ set: new Map([[key, movedRow(row, former, key)]]), drop: [] });
    scan.forced.push(moved);
    scan.vanished.push(moved);
    return;
  }
}

/** A file that may be a known one under another name is only noted. */
export function reconcileFile(scan: Rescan, path: string): void {
  const { project, skipGracePeriods } = scan;
  if (isSegment(path) && !project.claims.has(path)) {
    const file = scan.absolute(path);
    return reconcileSegment(project, path, file, scan.newRealDirectories().stat(file));
  }
  const collection = scan.deps.locations.at(path);
  const former = project.files.at(path);
  if (project.claims.blocks(path)) {
    scan.retry(path);
    return;
  }
  if (collection === undefined) return;
  const stat = scan.realDirectories.stat(scan.absolute(path));
  if (stat === undefined || stat.kind !== 'file') {
    onMissingFile(scan, collection, path, former);
    return;
  }
  const isSame = former !== undefined && matchesState(scan.deps, project, collection, former, stat);
  if (isSame) project.undecided.on(path, { kind: 'seen' });
  if (isSame && project.dirty.unverifiedAt(path) === undefined) return;
  if (stat.size === 0 && hadContent(project, collection, path, former)) {
    const event = { kind: 'seenEmpty', at: scan.deps.clock.monotonic(), isImmediate: skipGracePeriods } as const;
    if (!scan.isDecided(path, event, emptyFileGraceMs)) return;
  }
  if (former === undefined && isNoted(scan, { path, collection, stat })) return;
  readFile(scan, collection, path, stat, former);
}

/**
 * Whether a file was at the path, one of ours too that is not verified yet, or the file of a record that the path names is
 * at another one: editors empty a file first.
 */
function hadContent(project: Project, collection: Collection, path: string, former: FileState | undefined): boolean {
  if (former !== undefined || project.formerPaths.has(path)) return true;
  if (project.dirty.unverifiedAt(path) !== undefined) return true;
  return project.index.record(idByPath(collection, project.code, project.id, path)) !== undefined;
}

/** Notes a new file that may be a known one under another name. */
function isNoted(scan: Rescan, arrival: Arrival): boolean {
  const { path, collection } = arrival;
  if (!keepsIdOnRename(collection, path) || scan.project.dirty.unverifiedAt(path) !== undefined) return false;
  return scan.hasKnownFiles && scan.arrivals.push(arrival) > 0;
}

/** Called if there is no file at a path. */
function onMissingFile(scan: Rescan, collection: Collection, path: string, former: FileState | undefined): void {
  const { project, gone, missing } = scan;
  const kept = missingProjectState(scan.deps, project, collection, path, former);
  if (former === undefined) {
    project.dirty.seenAt(path);
    // A file that was deferred has gone again: it does not hold its record's other file any more.
    project.undecided.on(path, { kind: 'removed' });
    if (kept !== undefined) scan.replace(kept);
    return;
  }
  if (kept === former) return void project.undecided.on(path, { kind: 'seen' });
  if (project.dirty.unverifiedAt(path)?.sha256 === null) return onRemovedByUs(scan, collection, former);
  if (kept === undefined) missing.push(former);
  if (project.dirty.seenAt(path)) scan.touch(former.id, collection);
  const isHeld = project.dirty.isBeingWritten(former.id) || project.undecided.isDeferred(former.id);
  if (!scan.isGone(path, isHeld)) return;
  if (kept === undefined) return void gone.push(former);
  project.undecided.on(path, { kind: 'removed' });
  scan.deps.lastGood.update(project.code, former, kept);
  scan.replace(kept);
}

/** A file that was removed while git changed the tree: none is what file and index had in common then. */
function onRemovedByUs(scan: Rescan, collection: Collection, former: FileState): void {
  scan.project.dirty.seenAt(former.path);
  scan.touched.set(former.id, { collection, base: undefined });
  scan.forget(former);
}

/** Reads a file, and replaces its state. `movedFrom`: the state of the file at its former path. */
export function readFile(
  scan: Rescan,
  collection: Collection,
  path: string,
  stat: FileStat,
  former: FileState | undefined,
  movedFrom?: FileState,
): void {
  const { project } = scan;
  if (stat.size > fileBytesMax(collection)) {
    seen(project, path);
    const state = oversizedState(scan.context, { path, collection, stat }, movedFrom);
    scan.deps.lastGood.update(project.code, former ?? movedFrom, state);
    scan.addFormerPaths(state);
    return scan.replace(state);
  }
  const bytes = bytesOf(scan, path, stat);
  if (bytes === undefined) {
    scan.retry(path);
    return;
  }
  const sha = sha256Of(bytes);
  const unverified = project.dirty.unverifiedAt(path);
  if (unverified?.record !== undefined && unverified.sha256 === sha) {
    seen(project, path);
    // The written value is what file and index have in common: a later change was made to the index alone.
    scan.touched.set(unverified.record.id, { collection, base: unverified.record });
    const written = { path, collection: collection.name, sha256: sha, stamp: stampOf(stat) };
    const file = { path, collection, bytes, sha256: sha, stat };
    const { unreadable: _, ...now } = readState(scan.context, file);
    const state = { ...now, ...written, id: unverified.record.id, record: unverified.record };
    scan.addFormerPaths({ ...state, hasExplicitId: false });
    scan.replace(state);
    return;
  }
  const isKnown = former?.sha256 === sha && valuesIn(former) === undefined;
  const isRead = isKnown && !project.lastValues.has(former.id);
  if (isRead && !pathFieldsChanged(scan.deps, project, collection, former)) {
    project.files.set(withStamp(former, stat));
    if (seen(project, path)) scan.touch(former.id, collection);
    return;
  }
  const state = readState(scan.context, { path, collection, bytes, sha256: sha, stat }, movedFrom);
  if (project.dirty.isBeingWritten(state.id) || (former !== undefined && project.dirty.isBeingWritten(former.id)))
    return void scan.isDecided(path, { kind: 'held', id: state.id });
  if (former !== undefined && isReplaced(scan, former, state)) return;
  seen(project, path);
  scan.deps.lastGood.update(project.code, former ?? movedFrom, state);
  scan.addFormerPaths(state);
  scan.replace(state);
  readExchanged(scan, former, state);
}

/** Reads the file that has got the former id of the one read before it: the record is not missing in between. */
function readExchanged(scan: Rescan, former: FileState | undefined, { id }: FileState): void {
  const other = former && former.id !== id ? scan.project.undecided.replacedBy(former.id) : undefined;
  if (other !== undefined) reconcileFile(scan, other);
}

/** Notes that what is at a path counts from now on. Returns whether our own write of it was not verified yet. */
function seen(project: Project, path: string): boolean {
  project.undecided.on(path, { kind: 'seen' });
  return project.dirty.seenAt(path);
}

/**
 * Whether a file has got the id of another record, and that of its own may still be found in one. The files that exchange
 * ids are read together once each of these is in one of them, or in another file.
 */
function isReplaced(scan: Rescan, former: FileState, { id }: FileState): boolean {
  const { files, undecided } = scan.project;
  // Each of these is in the file that had the next one.
  const lost = new Set<string>();
  for (let one: string | undefined = former.id; one !== undefined && !lost.has(one);) {
    if (one === id || files.of(one).length > 1) return false;
    lost.add(one);
    one = files.at(undecided.replacedBy(one) ?? '')?.id;
  }
  const [at, isHeld] = [scan.deps.clock.monotonic(), undecided.isDeferred(former.id)];
  const event = { kind: 'seenReplaced', id, at, isImmediate: scan.skipGracePeriods, isHeld } as const;
  return !scan.isDecided(former.path, event);
}

/** The content of the file that was statted; undefined if another file, or a link, has replaced it meanwhile. */
function bytesOf(scan: Rescan, path: string, stat: FileStat): Buffer | undefined {
  const absolute = scan.absolute(path);
  const bytes = scan.deps.disk.readSame(absolute, stat);
  if (bytes === undefined || scan.isCheckedAtEnd) return bytes;
  // Stat again after reading: if no link leads there now, the bytes are those of the file.
  const now = scan.newRealDirectories().stat(absolute);
  return now?.kind === 'file' && now.ino === stat.ino && now.dev === stat.dev ? bytes : undefined;
}
