import type { Draft, Fields } from '../domain/exchange/draft.ts';
import { invalid, PlannerError } from '../errors.ts';
import { limits } from '../limits.ts';
import { readExport } from './export-reader.ts';
import type { TakeFile } from './export-reader.ts';
import type { ImportReport } from '../domain/records/collections.ts';
import { isOwnExport, ownFormat, ownHeadBytes } from './own-export.ts';
import { nameOfPlan } from './plan-files.ts';
import { readInThread } from './plan-thread.ts';

/** A file as it arrives; `further`: those behind it, each to be read to its end before the next. */
export interface ArrivingFile {
  readonly filename: string;
  readonly bytes: AsyncIterable<Uint8Array>;
  readonly further?: AsyncIterable<ArrivingFile>;
}

export interface UploadedPlanOptions {
  /** The name of a format, or a path, if there are several plans. */
  readonly from?: string | undefined;
  /** The project's name if the plan has none. Default: that of the directory or file. */
  readonly name?: string | undefined;
  readonly withDeleted: boolean;
}

export interface UploadedPlan {
  readonly draft: Draft;
  readonly report: ImportReport;
}

/**
 * Reads an uploaded plan of any format, for REST, the page and the command line. An export of Planner is read as a stream; another tool's plan,
 * one file or all files of a directory, is collected and read in a thread.
 */
export async function readUploadedPlan(
  upload: ArrivingFile,
  options: UploadedPlanOptions,
  takeFile: TakeFile,
): Promise<UploadedPlan> {
  const pieces = upload.bytes[Symbol.asyncIterator]();
  const head = await headOf(pieces);
  const whole = joined(head, pieces);
  if (isOwnExport(Buffer.concat(head)) && (options.from ?? ownFormat) === ownFormat) {
    const draft = await readExport(whole, takeFile);
    for await (const { filename } of upload.further ?? [])
      throw invalid('file', `An export of Planner is imported alone: ${filename} follows it.`);
    return { draft, report: ownReport(draft) };
  }
  const { files, paths, root } = await collected({ ...upload, bytes: whole });
  const name = options.name ?? root ?? nameOfPlan(paths[0]!);
  const { from, withDeleted } = options;
  const found = await readInThread({ files, paths, from, options: { name, withDeleted } });
  if (found.kind === 'moved') return { draft: await readExport(inTurn(found.pieces), takeFile), report: found.report };
  const draft = await readExport(inTurn([files.get(found.path)!]), takeFile);
  return { draft, report: ownReport(draft) };
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
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Where the plan may be: the only file; or the directory that all files are in, then the one above it. */
  readonly paths: readonly string[];
  /** The name of the directory that all of them are in. */
  readonly root: string | undefined;
}

async function collected({ further, ...first }: ArrivingFile): Promise<Collected> {
  const files = new Map<string, Uint8Array>();
  let length = 0;
  const collect = async ({ filename, bytes }: ArrivingFile): Promise<void> => {
    const path = pathOf(filename);
    if (files.has(path)) throw invalid('file', `There are two files of the path ${JSON.stringify(path)}.`);
    const pieces: Uint8Array[] = [];
    for await (const piece of bytes) {
      length += piece.length;
      if (length > limits.importRecordsBytesMax) throw tooLarge();
      pieces.push(piece);
    }
    files.set(path, Buffer.concat(pieces));
  };
  await collect(first);
  for await (const file of further ?? []) await collect(file);
  const [only, another] = files.keys();
  if (another === undefined && !only!.includes('/')) return { files, paths: [only!], root: undefined };
  const root = only!.slice(0, only!.indexOf('/'));
  const isRoot = root !== '' && [...files.keys()].every((path) => path.startsWith(`${root}/`));
  return isRoot ? { files, paths: [root, ''], root } : { files, paths: [''], root: undefined };
}

/** A path as its sender's system writes it, with `/` and without what leads elsewhere. */
function pathOf(filename: string): string {
  const parts = filename.split(/[\\/]/).filter((part) => !['', '.', '..'].includes(part));
  return parts.length === 0 ? 'plan' : parts.join('/');
}

function tooLarge(): PlannerError {
  const most = limits.importRecordsBytesMax;
  return new PlannerError('payload_too_large', `The plan is over ${most} bytes.`, { bytes_max: most });
}
