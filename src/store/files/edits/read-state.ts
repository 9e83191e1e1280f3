import { fileIdPattern, idPattern } from '../../../base/ids.ts';
import { isoTime } from '../../../base/clock.ts';
import { limits } from '../../../base/limits.ts';
import { assemble, fileFields, type Placement } from '../../record/assemble.ts';
import { decode, type Decoded, type Note } from '../codec/codec.ts';
import { formerState, idOfFile } from './id-of-file.ts';
import type { Collection, Violation } from '../../record/collection.ts';
import type { Disk } from '../disk/disk.ts';
import { dirname } from 'node:path';
import { type FileState, type Stamp, stampOf } from '../project/file-table.ts';
import type { LastGood } from './last-good.ts';
import { unreadableRemedy } from './unreadable-remedy.ts';
import { linkedPart } from '../disk/linked-path.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';
import { directoryOf, nameOf, type LocationMap } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import { shapeAt } from '../../record/shapes.ts';
import type { Problem } from '../../record/read-transaction.ts';
import { derivedTitle } from '../codec/derived-title.ts';
import { sha256Of } from '../disk/sha256.ts';

/** What reading a record file needs in addition to its bytes. */
export interface ReaderContext {
  readonly project: Project;
  readonly locations: LocationMap;
  readonly lastGood: LastGood;
  readonly disk: Disk;
  /** Absolute path of `projects/`. */
  readonly projectsDirectory: string;
}

/** A file as read: its path and its content. */
export interface ReadFile {
  readonly path: string;
  readonly collection: Collection;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly stat: Stamp;
}

/** Why a file is not a valid record. */
interface Fault {
  readonly reason: string;
  readonly line?: number | undefined;
  /** The id that the file appears to contain. */
  readonly claimedId?: string | undefined;
}

/** The state of an unreadable file: it keeps the last good version. */
function unreadableState(
  context: ReaderContext,
  { path, collection, sha256, stat }: Omit<ReadFile, 'bytes'>,
  { reason, line, claimedId }: Fault,
  former: FileState | undefined,
): FileState {
  const { project, lastGood } = context;
  const identity = identityOfUnreadable(context.project, { path, collection }, claimedId, former);
  const { id } = identity;
  const problem: Problem = {
    path: project.shownPath(path),
    kind: 'unreadable',
    reason,
    id,
    ...(line === undefined ? {} : { line }),
    remedy: unreadableRemedy(collection.id, reason),
  };
  return {
    path,
    collection: collection.name,
    sha256,
    stamp: stampOf(stat),
    ...identity,
    record: former?.record ?? lastGood.read(project.code, id),
    unreadable: problem,
  };
}

/** The id of an unreadable file's record: the one that it had, else the one that the file appears to contain. */
function identityOfUnreadable(
  project: Project,
  { path, collection }: Pick<ReadFile, 'path' | 'collection'>,
  claimedId: string | undefined,
  former: FileState | undefined,
): Identity {
  const isId = claimedId !== undefined && idPattern.test(claimedId) && collection.location.kind !== 'single';
  const id = former?.id ?? (isId ? claimedId : idOfFile(project, collection, path, undefined));
  const hasExplicitId = former?.hasExplicitId ?? claimedId !== undefined;
  return { id, hasExplicitId, ...(former?.hasLostId && { hasLostId: true }) };
}

/** The missing file that contained the id that another one appears to contain: it was moved, and damaged meanwhile. */
function missingFileOf(
  { project, disk, projectsDirectory }: ReaderContext,
  { collection }: Pick<ReadFile, 'collection'>,
  id: string | undefined,
): FileState | undefined {
  if (id === undefined) return undefined;
  const isMissing = (path: string): boolean =>
    disk.stat(`${projectsDirectory}/${project.directory}/${path}`) === undefined;
  return project.files
    .of(id)
    .find((other) => other.hasExplicitId && other.collection === collection.name && isMissing(other.path));
}

/** A larger file is listed as a problem and not read. */
export function fileBytesMax({ fileBytesMax: own }: Collection): number {
  return own ?? limits.recordFileBytesMax;
}

/** The state of a file that is too large to be a record: it is not read at all. */
export function oversizedState(
  context: ReaderContext,
  { path, collection, stat }: Pick<ReadFile, 'path' | 'collection' | 'stat'>,
  movedFrom?: FileState,
): FileState {
  // The content is not read: size and time serve as its hash.
  const sha256 = sha256Of(`${stat.size} ${stat.mtimeMs}`);
  const reason = `The file has ${stat.size} bytes; at most ${fileBytesMax(collection)} are read.`;
  const former = formerState(context.project, collection, path, movedFrom);
  return unreadableState(context, { path, collection, sha256, stat }, { reason }, former);
}

/**
 * Reads a file's bytes into a state. Never throws because of a file's content: an unreadable file keeps its last good
 * version. In front matter, a value that the record cannot have is ignored and noted: the field keeps its last value.
 * `movedFrom`: the state of the file under its former name.
 */
export function readState(context: ReaderContext, file: ReadFile, movedFrom?: FileState): FileState {
  const { project } = context;
  const { path, collection, bytes, sha256, stat } = file;
  const former = formerState(project, collection, path, movedFrom);
  const broken = (reason: string, line: number | undefined, claimedId: string | undefined): FileState =>
    unreadableState(
      context,
      file,
      { reason, line, claimedId },
      formerState(project, collection, path, missingFileOf(context, file, claimedId) ?? movedFrom),
    );
  const decoded = decode(shapeAt(collection.shape, path), bytes);
  if (!decoded.ok) return broken(decoded.reason, decoded.line, decoded.id);
  const damage = decoded.notes.find(({ key }) => key === undefined);
  // A file that had its id: an editor is in the middle of a write, or a person damaged it.
  if (damage !== undefined && former?.hasExplicitId === true) return broken(damage.reason, damage.line, undefined);
  const claim = claimOf(collection, decoded);
  if (claim.violation !== undefined) return broken(claim.violation, undefined, undefined);
  const identity = identityOf(project, file, former, claim);
  const { id, hasLostId = false } = identity;
  // A file that lost its front matter is still the record that it was: the missing fields keep their last values.
  const fields =
    hasLostId && former?.record !== undefined
      ? { ...statedFields(collection, former, former.record), ...decoded.fields }
      : { ...decoded.fields };
  const notes = [...decoded.notes, ...(claim.note === undefined ? [] : [claim.note])];
  const isIdIgnored = claim.isIgnored === true;
  const result = validRecord(file, { id, former, fields, notes, lineOf: decoded.lineOf, isIdIgnored }, (present) =>
    placementOf(context, file, id, former, present),
  );
  if ('reason' in result) return broken(result.reason, result.line, claim.id);
  const linked = linkedField(context, collection, result.record);
  if (linked !== undefined) return broken(linked, undefined, claim.id);
  const shown = [...notes, ...decoded.hints];
  return {
    ...{ path, collection: collection.name, sha256, stamp: stampOf(stat) },
    ...identity,
    record: result.record,
    ...(result.unstated.length > 0 && { unstated: result.unstated }),
    ...(shown.length > 0 && { notes: shownNotes(shown) }),
    ...(Object.keys(decoded.named).length > 0 && { named: decoded.named }),
  };
}

type Identity = Pick<FileState, 'id' | 'hasExplicitId' | 'hasLostId'>;

/** The id of a file's record, and where it comes from. */
function identityOf(
  project: Project,
  { collection, path }: Pick<ReadFile, 'collection' | 'path'>,
  former: FileState | undefined,
  { id: claimed, isIgnored }: ClaimedId,
): Identity {
  if (claimed !== undefined) return { id: claimed, hasExplicitId: true };
  const hadId = former?.hasExplicitId === true || former?.hasLostId === true;
  if (hadId && isIgnored !== true) return { id: former.id, hasExplicitId: false, hasLostId: true };
  return { id: idOfFile(project, collection, path, former), hasExplicitId: false };
}

function shownNotes(notes: readonly Note[]): FileState['notes'] {
  const lines = notes.map(({ key: _, ...shown }) => shown);
  return lines.sort((a, b) => a.line - b.line);
}

type Readable = Extract<Decoded, { readonly ok: true }>;

interface ClaimedId {
  readonly id?: string;
  /** For front matter: the file has a key for an id, and another value in it. */
  readonly isIgnored?: true;
  /** What is to be noted of that, if it is not noted yet. */
  readonly note?: Note;
  /** For files that only the service writes: the reason why the file is unreadable. */
  readonly violation?: string;
}

/** The id that a file gives its record. */
export function claimOf({ location, shape }: Collection, { fields, notes, lineOf }: Readable): ClaimedId {
  if (location.kind === 'single' || location.kind === 'key') return {};
  const { id } = fields;
  if (id === undefined) return notes.some(({ key }) => key === 'id') ? { isIgnored: true } : {};
  if (typeof id === 'string' && (shape.format === 'markdown' ? fileIdPattern : idPattern).test(id)) return { id };
  // A key without a value is filled in by the next write.
  if (id === null && shape.format === 'markdown') return {};
  if (shape.format !== 'markdown')
    return { violation: `The id ${JSON.stringify(id)} is not of the form [A-Za-z0-9_-]{1,64}.` };
  const reason =
    'id must be 1 to 64 visible characters, not a wiki link, placeholder or URL; the record has another id.';
  return { isIgnored: true, note: { key: 'id', line: lineOf('id') ?? 1, reason } };
}

/** The fields of a record that its file had keys for. */
function statedFields(
  collection: Collection,
  { unstated = [] }: FileState,
  record: StoredRecord,
): Record<string, unknown> {
  const fields = fileFields(collection, record);
  for (const name of unstated) delete fields[name];
  return fields;
}

/** What is known of a record before it is valid. `fields` and `notes` are changed in place. */
interface Candidate {
  readonly id: string;
  readonly former: FileState | undefined;
  readonly fields: Record<string, unknown>;
  readonly notes: Note[];
  readonly lineOf: Readable['lineOf'];
  /** The id in the file is not the record's. */
  readonly isIdIgnored: boolean;
}

interface ValidRecord {
  readonly record: StoredRecord;
  /** The fields whose value is not the file's. */
  readonly unstated: readonly string[];
}

/**
 * The record of these fields. In front matter the fields that violate a rule are ignored, with a note each; everywhere
 * else they are the fault of the file.
 */
export function validRecord(
  file: Pick<ReadFile, 'collection' | 'path'>,
  candidate: Candidate,
  placementWith: (fields: Readonly<Record<string, unknown>>) => Placement,
): ValidRecord | Fault {
  const { collection, path } = file;
  const { id, fields, notes, lineOf } = candidate;
  const unstated = new Set<string>();
  if (candidate.isIdIgnored) ignore(collection, candidate, unstated, 'id');
  for (const { key } of notes) if (key !== undefined) ignore(collection, candidate, unstated, key);
  for (;;) {
    const title = derivedTitle(collection, path, id, fields);
    if (title !== undefined) unstated.add(title.field);
    const whole = title === undefined ? fields : { ...fields, [title.field]: title.value };
    const record = assemble(collection, whole, placementWith(fields));
    const violations = collection.validate(record);
    if (violations.length === 0) return { record, unstated: [...unstated] };
    const found = violations.map((violation) => ({ violation, field: /^[^.[]*/.exec(violation.field)![0] }));
    const ignorable = found.filter(({ field }) => isIgnorable(file, candidate, field));
    // Others may follow from these: without created_at, updated_at is another one.
    if (ignorable.length === 0) return faultOf(violations);
    for (const { violation, field } of ignorable) {
      if (!isIgnorable(file, candidate, field)) continue;
      notes.push({ key: field, line: lineOf(field) ?? 1, reason: wordsOf(violation) });
      ignore(collection, candidate, unstated, field);
    }
  }
}

/** Whether a field has a key in the file's front matter: its value may be ignored. */
function isIgnorable(
  { collection, path }: Pick<ReadFile, 'collection' | 'path'>,
  { fields, lineOf }: Candidate,
  field: string,
): boolean {
  const shape = shapeAt(collection.shape, path);
  return (
    shape.format === 'markdown' && field !== shape.body && Object.hasOwn(fields, field) && lineOf(field) !== undefined
  );
}

/** The field keeps the last value that is known; without one it is as if the file had no key for it. */
function ignore(
  { location, shape }: Collection,
  { id, former, fields }: Candidate,
  unstated: Set<string>,
  field: string,
): void {
  if (!shape.fields.some(({ name }) => name === field)) return;
  delete fields[field];
  unstated.add(field);
  if (field === 'id' || former?.id !== id || former.record === undefined) return;
  // A derived title is derived again: the file may have another name.
  if ('title' in location && location.title === field && former.unstated?.includes(field) === true) return;
  fields[field] = membersOf(former.record)[field];
}

function wordsOf({ field, message }: Violation): string {
  return field === '' || message.startsWith(field) ? message : `${field}: ${message}`;
}

function faultOf(violations: readonly Violation[]): Fault {
  return { reason: violations.map(({ field, message }) => `${field === '' ? '' : `${field}: `}${message}`).join(' ') };
}

/** The reason for rejecting a path in a record: it leads through a symbolic link. */
function linkedField(
  { disk, projectsDirectory }: ReaderContext,
  { paths = [] }: Collection,
  record: StoredRecord,
): string | undefined {
  for (const field of paths) {
    const path = membersOf(record)[field];
    const part = typeof path === 'string' ? linkedPart(disk, dirname(dirname(projectsDirectory)), path) : undefined;
    if (part !== undefined) return `${field} leads through the symbolic link ${part}.`;
  }
  return undefined;
}

function placementOf(
  context: ReaderContext,
  { collection, path, stat }: ReadFile,
  id: string,
  former: FileState | undefined,
  fields: Readonly<Record<string, unknown>>,
): Placement {
  const { project } = context;
  const span = project.history.span(id);
  const createdAt =
    (former?.id === id ? former.record?.created_at : undefined) ?? span?.oldest ?? isoTime(stat.mtimeMs);
  return {
    id,
    code: project.code,
    createdAt,
    revisedAt: span?.newest,
    pathFields: fieldsFromPath(context, collection, path, fields),
  };
}

/** The fields that are derived from the path: a document's folder, a folder's name and parent. */
export function fieldsFromPath(
  { project, locations }: Pick<ReaderContext, 'project' | 'locations'>,
  collection: Collection,
  path: string,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const { location } = collection;
  if (location.kind === 'tree') {
    const folders = locations.foldersOf(location.directory);
    return { [location.folder]: folders === undefined ? null : project.folderIdOf(directoryOf(path), folders) };
  }
  if (location.kind === 'folder') {
    const directory = directoryOf(path);
    // A name that no directory can have is in the folder's file.
    return {
      name: fields['name'] ?? nameOf(directory),
      [location.parent]: project.folderIdOf(directoryOf(directory), collection),
    };
  }
  return {};
}

/** A file whose directory is in another folder now is read again although its bytes are unchanged. */
export function pathFieldsChanged(
  { locations }: Pick<ReaderContext, 'locations'>,
  project: Project,
  collection: Collection,
  { path, record, content }: FileState,
): boolean {
  const { location } = collection;
  // A torn write has none of its record's values, wherever it is: it is not read again, but written.
  if (record === undefined || content === 'unknown' || (location.kind !== 'tree' && location.kind !== 'folder'))
    return false;
  const { [location.kind === 'tree' ? location.folder : location.parent]: above } = membersOf(record);
  const directory = directoryOf(path);
  if (location.kind === 'folder') return above !== project.folderIdOf(directoryOf(directory), collection);
  const folders = locations.foldersOf(location.directory);
  return above !== (folders === undefined ? null : project.folderIdOf(directory, folders));
}
