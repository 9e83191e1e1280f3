import type { Draft, Fields } from '../domain/exchange/draft.ts';
import { invalid } from '../base/errors.ts';
import type { PlannerError } from '../base/errors.ts';
import { limits } from '../base/limits.ts';
import { isTurnSpent, nextTurn, slice } from '../base/slices.ts';
import { readExport } from './export-reader.ts';
import type { TakeFile } from './export-reader.ts';
import type { ImportReport } from '../domain/records/collections.ts';
import type { ImportInProgress } from './import-in-progress.ts';
import { isOwnExport, ownFormat, ownHeadBytes } from './own-export.ts';
import { nameOfPlan } from './plan-files.ts';
import { readInThread, threadLimitsOf } from './plan-thread.ts';
import type { PlanRequest } from './plan-thread.ts';
import type { DraftPart } from './read-plan.ts';

export { ImportInProgress } from './import-in-progress.ts';

/** A file as it arrives; `further`: the files after it, each to be read to its end before the next. */
export interface ArrivingFile {
  readonly filename: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly further?: AsyncIterable<ArrivingFile>;
}

export interface UploadedPlanOptions {
  /** The name of a format, or a path, if there are several plans. */
  readonly from?: string | undefined;
  /** The project's name if the plan does not contain one. Default: the name of the directory or file. */
  readonly name?: string | undefined;
  readonly withDeleted: boolean;
  /** The plan is merged into a project that is there. */
  readonly isMerged: boolean;
}

export interface UploadedPlan {
  readonly draft: Draft;
  readonly report: ImportReport;
}

/**
 * Reads an uploaded plan of any format, for REST, the page and the command line. An export of Planner is read as a stream; another tool's plan,
 * one file or all files of a directory, is collected and read in a thread when it is the import's turn.
 */
export async function readUploadedPlan(
  upload: ArrivingFile,
  options: UploadedPlanOptions,
  takeFile: TakeFile,
  running: ImportInProgress,
): Promise<UploadedPlan> {
  const pieces = upload.bytes[Symbol.asyncIterator]();
  const head = await headOf(pieces);
  const whole = joined(head, pieces);
  if (isOwnExport(Buffer.concat(head)) && (options.from ?? ownFormat) === ownFormat) {
    if (options.isMerged) throw notMerged();
    const draft = await readExport(whole, takeFile, running);
    for await (const { filename } of upload.further ?? [])
      throw invalid('file', `An export of Planner is imported alone: ${filename} follows it.`);
    return { draft, report: ownReport(draft) };
  }
  running.takePlace();
  const { files, paths, root } = await collected({ ...upload, bytes: whole }, running);
  await running.turn();
  const name = options.name ?? root ?? nameOfPlan(paths[0]!);
  const { from, withDeleted } = options;
  const { importer } = running;
  const recordsMax = importer.isAgent ? limits.agentImportRecordsMax : limits.importRecordsMax;
  const request = { files, paths, from, options: { name, withDeleted }, recordsMax };
  const found = await readInThread(request, threadLimitsOf(importer), importer.signal);
  if (found.kind === 'moved') return { draft: await draftOfPieces(found.pieces, takeFile), report: found.report };
  if (options.isMerged) throw notMerged();
  const draft = await readExport(inTurn(found.pieces), takeFile);
  return { draft, report: ownReport(draft) };
}

/** The draft that a thread has read. One piece is parsed after the other, with turns of the event loop in between. */
async function draftOfPieces(pieces: readonly Uint8Array[], takeFile: TakeFile): Promise<Draft> {
  let draft: Draft = { project: {}, canvas: null, lists: new Map() };
  const lists = new Map<string, Fields[]>();
  for (const piece of pieces) {
    if (isTurnSpent()) await nextTurn();
    const part = slice('import_project', () => JSON.parse(Buffer.from(piece.buffer).toString()) as DraftPart);
    if (!('list' in part)) draft = { ...part, lists };
    else {
      const list = lists.get(part.list) ?? [];
      lists.set(part.list, list);
      for (const record of part.records)
        list.push(part.list === 'files' ? await takeFile(record, `files[${list.length}]`) : record);
    }
  }
  return draft;
}

/** The report on an export of Planner: everything is imported as it is. */
export function ownReport({ lists }: Draft): ImportReport {
  const counts = [...lists]
    .filter(([, list]) => list.length > 0)
    .map(([name, list]: [string, readonly Fields[]]) => [name, list.length]);
  return { from: 'Planner', counts: Object.fromEntries(counts) as Record<string, number>, remarks: [], left_out: [] };
}

/** The first pieces, enough to see whether it is an export. */
async function headOf(pieces: AsyncIterator<Uint8Array>): Promise<Uint8Array[]> {
  const head: Uint8Array[] = [];
  for (let length = 0; length < ownHeadBytes;) {
    const next = await pieces.next();
    if (next.done === true) break;
    head.push(next.value);
    length += next.value.length;
  }
  return head;
}

async function* joined(
  head: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncIterableIterator<Uint8Array> {
  yield* head;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

async function* inTurn(pieces: Iterable<Uint8Array>): AsyncIterableIterator<Uint8Array> {
  yield* pieces;
}

interface Collected {
  readonly files: PlanRequest['files'];
  /** Where the plan may be: the only file; or the directory that all files are in, then the one above it. */
  readonly paths: readonly string[];
  /** The name of the directory that all of them are in. */
  readonly root: string | undefined;
}

async function collected({ further, ...first }: ArrivingFile, running: ImportInProgress): Promise<Collected> {
  const files = new Map<string, readonly Uint8Array[]>();
  const collect = async ({ filename, bytes }: ArrivingFile): Promise<void> => {
    const path = pathOf(filename);
    if (files.has(path)) throw invalid('file', `There are two files of the path ${JSON.stringify(path)}.`);
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) {
      running.hold(running.bytes + piece.length);
      // A copy in its own memory, which is transferred to the thread.
      pieces.push(new Uint8Array(piece));
    }
    files.set(path, pieces);
  };
  await collect(first);
  for await (const file of further ?? []) await collect(file);
  const [only, another] = files.keys();
  if (another === undefined && !only!.includes('/')) return { files, paths: [only!], root: undefined };
  const root = only!.slice(0, only!.indexOf('/'));
  const isRoot = root !== '' && [...files.keys()].every((path) => path.startsWith(`${root}/`));
  return isRoot ? { files, paths: [root, ''], root } : { files, paths: [''], root: undefined };
}

/** A path as its sender's system writes it, with `/` and without parts that lead elsewhere. */
function pathOf(filename: string): string {
  const parts = filename.split(/[\\/]/).filter((part) => !['', '.', '..'].includes(part));
  return parts.length === 0 ? 'plan' : parts.join('/');
}

/** The error of an export of Planner that is to be merged. */
export function notMerged(): PlannerError {
  const message =
    'An export of Planner becomes a project of its own: its records have no ids of another tool to be found by.';
  return invalid('into', message);
}
