import type { Draft, Fields } from '../domain/exchange/draft.ts';
import { invalid, notFound, PlannerError } from '../base/errors.ts';
import { Remarks } from './imported-plan.ts';
import type { ImportedPlan } from './imported-plan.ts';
import { isOwnExport, ownFormat, ownHeadBytes } from './own-export.ts';
import { withEncodings } from './plan-files.ts';
import type { PlanTree } from './plan-files.ts';
import { objectOf } from './members.ts';
import { PlanFile } from './plan-format.ts';
import type { FileFormat, PlanFormat, ReadOptions } from './plan-format.ts';
import { planFormats } from './plan-formats.ts';

/** A plan that was found: its format, and its path below the directory that was searched; `''` is the directory itself. */
export interface Candidate {
  readonly format: PlanFormat | typeof ownFormat;
  readonly path: string;
  /** The file of a format whose plan is one file, as far as it is decoded and parsed. */
  readonly file?: PlanFile;
}

/** The plan at a path: an export of Planner, which is passed on unchanged, or another tool's plan. */
export type FoundPlan =
  | { readonly kind: 'export'; readonly path: string }
  | ({ readonly kind: 'moved' } & ImportedPlan);

/**
 * Finds the plans in a tree: of a file (`path`), or in a directory, in the places of each format. `from` limits them to
 * a format, by its name, or to a path. Throws `invalid_argument` if there is no plan, with the supported formats, and
 * `not_found` if the path does not exist.
 */
function findPlans(tree: PlanTree, path: string, from?: string): Candidate[] {
  const kind = tree.kindOf(path);
  if (kind === undefined) throw notFound('file', path);
  const looked = new Map<string, PlanFile>();
  const fileAt = (place: string): PlanFile => {
    const file = looked.get(place) ?? new PlanFile(place, tree.bytes(place));
    looked.set(place, file);
    return file;
  };
  const found = kind === 'file' ? inFile(tree, path, fileAt, from) : inDirectory(tree, path, fileAt, from);
  if (found.length === 0)
    throw nothingFound(path === '' ? tree.name : path, kind === 'file' ? fileAt(path) : undefined, [
      ...looked.values(),
    ]);
  return found;
}

/** The only plan in a tree. Throws `invalid_argument`, listing all of them, if there are several. */
export function findPlan(tree: PlanTree, path: string, from?: string): Candidate {
  const found = findPlans(tree, path, from);
  const [only, another] = found;
  if (another === undefined) return only!;
  const listed = found.map((one) => ({ from: nameOf(one), path: one.path === '' ? '.' : one.path }));
  const names = listed.map((one) => `${one.from} (${one.path})`).join(', ');
  const advice = new Set(listed.map((one) => one.from)).size > 1 ? 'a format' : 'a path';
  throw invalid(
    'from',
    `There are several plans: ${names}. Choose one by ${advice} of them in \`from\` (\`--from\` of the command line).`,
    {
      candidates: listed,
    },
  );
}

/** Reads a plan that was found. Errors name its format and its path. */
export function readPlan(tree: PlanTree, { format, path, file }: Candidate, options: ReadOptions): FoundPlan {
  if (format === ownFormat) return { kind: 'export', path };
  try {
    const assumed = new Remarks();
    const onAssumed = (where: string, encoding: string): void =>
      assumed.add(`A text that is not UTF-8: it was read as ${encoding}.`, where);
    if (file?.assumedEncoding !== undefined) onAssumed(path, file.assumedEncoding);
    const plan =
      format.kind === 'file'
        ? format.read(requireReadable(file!), options)
        : format.read(withEncodings(tree.below(path), onAssumed), options);
    requireRecords(plan);
    return { kind: 'moved', ...plan, report: { ...plan.report, remarks: [...assumed.all(), ...plan.report.remarks] } };
  } catch (error) {
    throw error instanceof PlannerError ? located(error, format, path) : error;
  }
}

/** Throws `invalid_argument` for a file in no known encoding, or with conflicts of git: half of their lines are of another version. */
function requireReadable(file: PlanFile): PlanFile {
  if (file.unreadable !== undefined) throw invalid('file', file.unreadable);
  return file;
}

/** A part of a draft: its single members, or some records of one of its lists. */
export type DraftPart =
  | Pick<Draft, 'project' | 'canvas'>
  | { readonly list: string; readonly records: readonly Fields[] };

/** A draft as JSON texts of `DraftPart`. Each takes little time to parse, unless one record is large. */
export function* draftPieces({ project, canvas, lists }: Draft): Generator<Uint8Array> {
  yield encode(JSON.stringify({ project, canvas } satisfies DraftPart));
  for (const [list, records] of lists) {
    let texts: string[] = [];
    let characters = 0;
    const piece = (): Uint8Array => encode(`{"list":${JSON.stringify(list)},"records":[${texts.join(',')}]}`);
    for (const record of records) {
      const text = JSON.stringify(record);
      texts.push(text);
      characters += text.length;
      if (characters < pieceCharacters) continue;
      yield piece();
      [texts, characters] = [[], 0];
    }
    if (texts.length > 0) yield piece();
  }
}

const pieceCharacters = 16 * 1024;

/** Bytes with a buffer of their own: they are moved between threads. */
function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function nameOf({ format }: Candidate): string {
  return format === ownFormat ? ownFormat : format.name;
}

function inFile(tree: PlanTree, path: string, fileAt: (path: string) => PlanFile, from?: string): Candidate[] {
  if (isOwnExport(tree.head(path, ownHeadBytes))) return from === undefined || from === ownFormat ? own(path) : [];
  const file = fileAt(path);
  if (file.unreadable !== undefined) throw invalid('file', `${path}: ${file.unreadable}`);
  const forms = planFormats.filter((format): format is FileFormat => format.kind === 'file');
  // A format that is named reads the file, or says why it cannot.
  const chosen = forms.filter(({ name }) => name === from);
  if (chosen.length > 0) return chosen.map((format) => ({ format, path, file }));
  if (from !== undefined && from !== path) requireKnown(from);
  const format = file.object?.['format'];
  if (typeof format === 'string' && format.startsWith('planner-export-')) return own(path);
  return forms.filter((one) => one.detects(file)).map((one) => ({ format: one, path, file }));
}

function own(path: string): Candidate[] {
  return [{ format: ownFormat, path }];
}

function inDirectory(
  tree: PlanTree,
  directory: string,
  fileAt: (path: string) => PlanFile,
  from?: string,
): Candidate[] {
  const at = (place: string): string => [directory, place].filter((part) => part !== '').join('/');
  const found = planFormats.flatMap((format) => {
    const isChosen = format.name === from;
    const places = format.kind === 'file' ? format.places : ['', ...format.places];
    const present = places.map(at).filter((place) => tree.kindOf(place) === format.kind);
    const detected = present.filter((place) =>
      format.kind === 'file' ? format.detects(fileAt(place)) : format.detects(tree, place),
    );
    // If nothing looks like the format that is named, its reader says why.
    const chosen = detected.length === 0 && isChosen ? present.slice(0, 1) : detected;
    return chosen.map((place): Candidate =>
      format.kind === 'file' ? { format, path: place, file: fileAt(place) } : { format, path: place },
    );
  });
  if (from === undefined) return found;
  const chosen = found.filter((one) => nameOf(one) === from || [from, at(from)].includes(one.path));
  if (chosen.length === 0) requireKnown(from);
  return chosen;
}

function requireKnown(from: string): void {
  const names = [ownFormat, ...planFormats.map(({ name }) => name)];
  if (!names.includes(from))
    throw invalid('from', `from is ${JSON.stringify(from)}; the formats are ${names.join(', ')}.`);
}

function nothingFound(where: string, file: PlanFile | undefined, looked: readonly PlanFile[]): Error {
  const known = `an export of Planner, ${planFormats.map(({ name }) => name).join(', ')}`;
  if (file === undefined) {
    const also = looked.map((one) => `${one.path} ${lookOf(one)}`).join('; ');
    return invalid(
      'file',
      `${where} contains no known plan${also === '' ? '' : ` (${also})`}. Supported are ${known}.`,
    );
  }
  return invalid('file', `${where} is not a known plan: it ${lookOf(file)}. Supported are ${known}.`);
}

/** Describes a file that no format detects. */
function lookOf(file: PlanFile): string {
  if (file.text.trim() === '') return 'is empty';
  if (file.unreadable !== undefined) return `cannot be read: ${file.unreadable.replace(/\.$/, '')}`;
  if (objectOf(file.json) !== undefined) {
    return `is JSON with the members ${Object.keys(file.object!).slice(0, 8).join(', ')}`.replace(/ $/, ' none');
  }
  if (file.notJson === undefined) return 'is JSON, and no plan';
  return /\.json$/i.test(file.path) ? `is not JSON (${file.notJson})` : 'has no content that a format is known by';
}

/** An import of nothing is a mistake: another directory, a plan that its tool has not filled yet. */
function requireRecords({ draft, report }: ImportedPlan): void {
  const around = new Set(['tags', 'goals', 'folders']);
  if ([...draft.lists].some(([name, list]) => !around.has(name) && list.length > 0)) return;
  const counts = Object.entries(report.remarks.length === 0 ? {} : { remarks: report.remarks });
  throw invalid(
    'file',
    'There is no task and no document in it: nothing would be imported.',
    Object.fromEntries(counts),
  );
}

/** The error of a reader, with the format and the path before its message. */
function located(error: PlannerError, format: PlanFormat, path: string): PlannerError {
  const where = path === '' ? format.name : `${format.name}, ${path}`;
  return new PlannerError(error.code, `${where}: ${error.message}`, {
    ...error.details,
    ...(error.field !== undefined && { field: error.field }),
    ...{ format: format.name, path },
  });
}
