import { hash } from 'node:crypto';
import { idPattern } from '../../../ids.ts';
import { isoTime } from '../../../clock.ts';
import { limits } from '../../../limits.ts';
import { assemble, filed, type Placement } from '../../record/assemble.ts';
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
import { directoryOf, idByPath, nameOf, type PlaceMap } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import { shapeAt } from '../../record/shapes.ts';
import type { Problem } from '../../record/view.ts';

/** What reading a record file needs beside its bytes. */
export interface ReaderContext {
  readonly project: Project;
  readonly places: PlaceMap;
  readonly lastGood: LastGood;
  readonly disk: Disk;
  /** Absolute path of `projects/`. */
  readonly projectsDirectory: string;
}

/** One file as read: where it lies and what is in it. */
export interface ReadFile {
  readonly path: string;
  readonly collection: Collection;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly stat: FileStat;
}

/** What keeps a file from being a record. */
interface Fault {
  readonly reason: string;
  readonly line?: number | undefined;
  /** The id that the file seems to say. */
  readonly said?: string | undefined;
}

/** The state of a file that cannot be read: it keeps its last good value. */
function unreadableState(
  { project, lastGood }: ReaderContext,
  { path, collection, sha256, stat }: Omit<ReadFile, 'bytes'>,
  { reason, line, said }: Fault,
): FileState {
  const former = formerState(project, path);
  const id =
    former?.id ??
    (said !== undefined && idPattern.test(said) ? said : idByPath(collection, project.code, project.id, path));
  const problem: Problem = {
    path: project.shownPath(path),
    kind: 'unreadable',
    reason,
    id,
    ...(line === undefined ? {} : { line }),
    remedy: 'Mend the file in an editor, or check it out again.',
  };
  return {
    path,
    collection: collection.name,
    sha256,
    stamp: stampOf(stat),
    id,
    saysId: former?.saysId ?? said !== undefined,
    record: former?.record ?? lastGood.read(project.code, id),
    unreadable: problem,
  };
}

function formerState(project: Project, path: string): FileState | undefined {
  return project.files.at(path) ?? project.formerPaths.get(path);
}

/** A larger file is listed and not read. */
export function fileBytesMax({ fileBytesMax: own }: Collection): number {
  return own ?? limits.recordFileBytesMax;
}

/** The state of a file that is too large to be a record: it is not read at all. */
export function oversizedState(
  context: ReaderContext,
  { path, collection, stat }: Pick<ReadFile, 'path' | 'collection' | 'stat'>,
): FileState {
  // Of its content nothing is known; that it is another one is told by its size and time.
  const sha256 = hash('sha256', `${stat.size} ${stat.mtimeMs}`, 'hex');
  const reason = `The file has ${stat.size} bytes; at most ${fileBytesMax(collection)} are read.`;
  return unreadableState(context, { path, collection, sha256, stat }, { reason });
}

/** Makes a file's state of its bytes. Never throws for what a file contains: an unreadable file keeps its last good value. */
export function readState(context: ReaderContext, file: ReadFile): FileState {
  const { project } = context;
  const { path, collection, bytes, sha256, stat } = file;
  const former = formerState(project, path);
  const base = { path, collection: collection.name, sha256, stamp: stampOf(stat) };
  const broken = (reason: string, line: number | undefined, said: string | undefined): FileState =>
    unreadableState(context, file, { reason, line, said });
  const decoded = decode(shapeAt(collection.shape, path), bytes);
  if (!decoded.ok) return broken(decoded.reason, decoded.line, decoded.id);
  const said = collection.place.kind === 'single' || collection.place.kind === 'key' ? undefined : decoded.fields['id'];
  if (said !== undefined && (typeof said !== 'string' || !idPattern.test(said))) {
    return broken(`The id ${JSON.stringify(said)} is not of the form [A-Za-z0-9_-]{1,64}.`, undefined, undefined);
  }
  const lostId = said === undefined && former?.saysId === true;
  const id = said ?? (lostId ? former.id : idByPath(collection, project.code, project.id, path));
  // A file that lost its front matter is the record it was: what went with it keeps its last value.
  const fields =
    lostId && former.record !== undefined
      ? { ...filed(collection, former.record), ...decoded.fields }
      : titled(collection, path, decoded.fields);
  const record = assemble(collection, fields, placementOf(context, file, id, former, fields));
  const [violation] = collection.validate(record);
  if (violation !== undefined)
    return broken(`${violation.field === '' ? '' : `${violation.field}: `}${violation.message}`, undefined, said);
  const linked = linkedField(context, collection, record);
  if (linked !== undefined) return broken(linked, undefined, said);
  return { ...base, id, saysId: said !== undefined, record };
}

/** Why a path that a record holds is refused: it leads through a symbolic link. */
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
    kept: keptByPath(context, collection, path, fields),
  };
}

/** The fields that the path says: a document's folder, a folder's name and parent. */
export function keptByPath(
  { project, places }: Pick<ReaderContext, 'project' | 'places'>,
  collection: Collection,
  path: string,
  fields: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const { place } = collection;
  if (place.kind === 'tree') {
    const folders = places.foldersOf(place.directory);
    return { [place.folder]: folders === undefined ? null : project.folderIdOf(directoryOf(path), folders) };
  }
  if (place.kind === 'folder') {
    const directory = directoryOf(path);
    // A name that no directory can bear stands in the folder's file.
    return {
      name: fields['name'] ?? nameOf(directory),
      [place.parent]: project.folderIdOf(directoryOf(directory), collection),
    };
  }
  return {};
}

/** A file that a person dropped in without a title is called by its first heading (HTML: its `<title>`), else by its name. */
function titled(
  collection: Collection,
  path: string,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { place, shape } = collection;
  if (!('title' in place) || place.title === undefined || fields[place.title] !== undefined) return fields;
  const title = place.title;
  if (shape.fields.find(({ name }) => name === title)?.always !== true) return fields;
  const body = shape.body === undefined ? '' : fields[shape.body];
  const heading = typeof body === 'string' ? headingOf(shapeAt(shape, path).format, body) : undefined;
  const stem = nameOf(path).replace(/\.[^.]+$/, '');
  return { ...fields, [title]: (heading ?? stem).slice(0, limits.nameCharactersMax) };
}

/** A heading further down is no title of the page. */
const titleCharactersMax = 64 * 1024;

function headingOf(format: Format, body: string): string | undefined {
  if (format !== 'html') return markdownTitle(body);
  const title = htmlTitle(body.slice(0, titleCharactersMax)).replace(/\s+/g, ' ').trim();
  return title === '' ? undefined : title;
}
