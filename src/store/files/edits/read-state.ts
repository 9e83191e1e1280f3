import { hash } from 'node:crypto';
import { idPattern } from '../../../ids.ts';
import { isoTime } from '../../../clock.ts';
import { limits } from '../../../limits.ts';
import { assemble, fileFields, type Placement } from '../../record/assemble.ts';
import { decode } from '../codec/codec.ts';
import { htmlTitle } from '../codec/html-title.ts';
import { markdownTitle } from '../codec/markdown-title.ts';
import type { Collection, Format } from '../../record/collection.ts';
import type { Disk, FileStat } from '../disk/disk.ts';
import { dirname } from 'node:path';
import { type FileState, stampOf } from '../project/file-table.ts';
import type { LastGood } from './last-good.ts';
import { linkedPart } from '../disk/linked-path.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';
import { directoryOf, idByPath, nameOf, type LocationMap } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import { shapeAt } from '../../record/shapes.ts';
import type { Problem } from '../../record/read-transaction.ts';

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
  readonly stat: FileStat;
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
  { project, lastGood }: ReaderContext,
  { path, collection, sha256, stat }: Omit<ReadFile, 'bytes'>,
  { reason, line, claimedId }: Fault,
): FileState {
  const former = formerState(project, path);
  const id =
    former?.id ??
    (claimedId !== undefined && idPattern.test(claimedId)
      ? claimedId
      : idByPath(collection, project.code, project.id, path));
  const problem: Problem = {
    path: project.shownPath(path),
    kind: 'unreadable',
    reason,
    id,
    ...(line === undefined ? {} : { line }),
    remedy: 'Repair the file in an editor, or check it out again.',
  };
  return {
    path,
    collection: collection.name,
    sha256,
    stamp: stampOf(stat),
    id,
    hasExplicitId: former?.hasExplicitId ?? claimedId !== undefined,
    record: former?.record ?? lastGood.read(project.code, id),
    unreadable: problem,
  };
}

function formerState(project: Project, path: string): FileState | undefined {
  return project.files.at(path) ?? project.formerPaths.get(path);
}

/** A larger file is listed as a problem and not read. */
export function fileBytesMax({ fileBytesMax: own }: Collection): number {
  return own ?? limits.recordFileBytesMax;
}

/** The state of a file that is too large to be a record: it is not read at all. */
export function oversizedState(
  context: ReaderContext,
  { path, collection, stat }: Pick<ReadFile, 'path' | 'collection' | 'stat'>,
): FileState {
  // The content is not read: size and time serve as its hash.
  const sha256 = hash('sha256', `${stat.size} ${stat.mtimeMs}`, 'hex');
  const reason = `The file has ${stat.size} bytes; at most ${fileBytesMax(collection)} are read.`;
  return unreadableState(context, { path, collection, sha256, stat }, { reason });
}

/**
 * Reads a file's bytes into a state. Never throws because of a file's content: an unreadable file keeps its last good
 * version.
 */
export function readState(context: ReaderContext, file: ReadFile): FileState {
  const { project } = context;
  const { path, collection, bytes, sha256, stat } = file;
  const former = formerState(project, path);
  const base = { path, collection: collection.name, sha256, stamp: stampOf(stat) };
  const broken = (reason: string, line: number | undefined, claimedId: string | undefined): FileState =>
    unreadableState(context, file, { reason, line, claimedId });
  const decoded = decode(shapeAt(collection.shape, path), bytes);
  if (!decoded.ok) return broken(decoded.reason, decoded.line, decoded.id);
  const claimedId =
    collection.location.kind === 'single' || collection.location.kind === 'key' ? undefined : decoded.fields['id'];
  if (claimedId !== undefined && (typeof claimedId !== 'string' || !idPattern.test(claimedId))) {
    return broken(`The id ${JSON.stringify(claimedId)} is not of the form [A-Za-z0-9_-]{1,64}.`, undefined, undefined);
  }
  const hasLostId = claimedId === undefined && former?.hasExplicitId === true;
  const id = claimedId ?? (hasLostId ? former.id : idByPath(collection, project.code, project.id, path));
  // A file that lost its front matter is still the record that it was: the missing fields keep their last values.
  const fields =
    hasLostId && former.record !== undefined
      ? { ...fileFields(collection, former.record), ...decoded.fields }
      : titled(collection, path, decoded.fields);
  const record = assemble(collection, fields, placementOf(context, file, id, former, fields));
  const [violation] = collection.validate(record);
  if (violation !== undefined)
    return broken(`${violation.field === '' ? '' : `${violation.field}: `}${violation.message}`, undefined, claimedId);
  const linked = linkedField(context, collection, record);
  if (linked !== undefined) return broken(linked, undefined, claimedId);
  return { ...base, id, hasExplicitId: claimedId !== undefined, record };
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

/** A file without a title gets its first heading as title (HTML: its `<title>`), else its file name. */
function titled(
  collection: Collection,
  path: string,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { location, shape } = collection;
  if (!('title' in location) || location.title === undefined || fields[location.title] !== undefined) return fields;
  const title = location.title;
  if (shape.fields.find(({ name }) => name === title)?.always !== true) return fields;
  const body = shape.body === undefined ? '' : fields[shape.body];
  const heading = typeof body === 'string' ? headingOf(shapeAt(shape, path).format, body) : undefined;
  const stem = nameOf(path).replace(/\.[^.]+$/, '');
  return { ...fields, [title]: (heading ?? stem).slice(0, limits.nameCharactersMax) };
}

/** A heading after this many characters is not the title of the page. */
const titleCharactersMax = 64 * 1024;

function headingOf(format: Format, body: string): string | undefined {
  if (format !== 'html') return markdownTitle(body);
  const title = htmlTitle(body.slice(0, titleCharactersMax)).replace(/\s+/g, ' ').trim();
  return title === '' ? undefined : title;
}
