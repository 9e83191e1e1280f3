import { isDisputed, mergeLines, refined, textOf } from '../../../base/merge-text.ts';
import type { Disputed, Piece } from '../../../base/merge-text.ts';
import { decode, encode, patch } from '../codec/codec.ts';
import { layoutOf } from '../codec/layout.ts';
import { mergeRows } from './merge-rows.ts';
import { holds } from '../codec/same-value.ts';
import { byteOrderMark, sourceText } from '../codec/source-text.ts';
import type { Collection, Field, Shape } from '../../record/collection.ts';
import { mergeRecords } from '../../merge/merge.ts';
import { isRowsPath } from '../../record/folder-rows.ts';
import { LocationMap } from '../../record/locations.ts';
import type { StoredRecord } from '../../record/record.ts';
import { shapeAt } from '../../record/shapes.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The versions of one file of a root on two branches. */
export interface FileVersions {
  /** Its path in the repository, with `/`. */
  readonly path: string;
  /** The common base; undefined if both sides added the file. */
  readonly base: Uint8Array | undefined;
  readonly ours: Uint8Array;
  readonly theirs: Uint8Array;
}

export interface MergedFile {
  readonly bytes: Buffer;
  /** The number of conflicts: each is between conflict markers. */
  readonly conflicts: number;
}

/**
 * Merges two versions of a record file field by field, and the text around the record line by line. Changes of one
 * side, and equal changes of both, are taken; conflicting values are written between conflict markers, `ours` first.
 * Without a conflict the result does not depend on which side is which. Undefined for files without a record, or with
 * an unreadable one: those are plain text.
 */
export function mergeFiles(collections: readonly Collection[], versions: FileVersions): MergedFile | undefined {
  const { path, base, ours, theirs } = versions;
  const place = placeOf(path);
  if (place === undefined) return undefined;
  if (isSame(ours, theirs) || isSame(base, theirs)) return { bytes: Buffer.from(ours), conflicts: 0 };
  if (isSame(base, ours)) return { bytes: Buffer.from(theirs), conflicts: 0 };
  if (place.isSegment) return mergeSegments(versions);
  if (isRowsPath(place.path)) return { bytes: mergeRows(versions), conflicts: 0 };
  const collection = place.isConfig ? configFile : new LocationMap(collections).at(place.path);
  return collection && mergeRecordFiles(collection, place.path, versions);
}

interface FilePlace {
  /** Path inside its project. */
  readonly path: string;
  readonly isSegment: boolean;
  readonly isConfig: boolean;
}

function placeOf(path: string): FilePlace | undefined {
  if (/(?:^|\/)\.planner\/config\.json$/.test(path)) return { path: 'config.json', isSegment: false, isConfig: true };
  const inside = /(?:^|\/)\.planner\/projects\/[^/]+\/(.+)$/.exec(path)?.[1];
  if (inside === undefined) return undefined;
  return { path: inside, isSegment: /^history\/[^/]+\/[^/]+\.jsonl$/.test(inside), isConfig: false };
}

function isSame(a: Uint8Array | undefined, b: Uint8Array): boolean {
  return a !== undefined && Buffer.compare(a, b) === 0;
}

/** The root's settings: every member merges on its own. */
const configFile: Collection = {
  name: 'config',
  id: 'view',
  location: { kind: 'single', file: 'config.json' },
  shape: { format: 'json', fields: [] },
  versioned: [],
  sets: ['private'],
  texts: [],
  validate: () => [],
};

/** Lines of history are a set: each is complete on its own, and their times determine their order. */
function mergeSegments({ base, ours, theirs }: FileVersions): MergedFile {
  const lines = (bytes: Uint8Array | undefined): Set<string> =>
    new Set((bytes === undefined ? '' : Buffer.from(bytes).toString()).split('\n').filter((line) => line !== ''));
  const [inBase, inOurs, inTheirs] = [lines(base), lines(ours), lines(theirs)];
  const kept = [...inOurs.union(inTheirs)].filter(
    (line) => !inBase.has(line) || (inOurs.has(line) && inTheirs.has(line)),
  );
  const text = kept.sort().join('\n');
  return { bytes: Buffer.from(text === '' ? '' : `${text}\n`), conflicts: 0 };
}

/** A version without byte order mark and line ending, in which files of one text may differ. */
interface Version {
  readonly text: string;
  readonly bom: boolean;
  /** Undefined if both kinds of line endings occur: the bytes are then kept. */
  readonly ending: '\n' | '\r\n' | undefined;
}

function versionOf(bytes: Uint8Array): Version | undefined {
  const source = sourceText(bytes);
  if (source === undefined) return undefined;
  const { text, bom } = source;
  const [all, withReturn] = [text.split('\n').length - 1, text.split('\r\n').length - 1];
  const ending = withReturn === 0 ? '\n' : withReturn === all ? '\r\n' : undefined;
  return { text, bom, ending };
}

/** The value that one side changed, else the common one; the smaller one if both changed it. */
export function mergeScalar<T>(base: T | undefined, first: T, second: T): T {
  if (first === second || base === second) return first;
  if (base === first) return second;
  return first < second ? first : second;
}

/** The three versions, with `first` and `second` in an order that does not depend on which of them is ours. */
interface Versions {
  readonly base: string | undefined;
  readonly first: string;
  readonly second: string;
  /** True if `first` is theirs. */
  readonly swapped: boolean;
  /** Adds the merged byte order mark and line ending to the merged text. */
  readonly finish: (text: string) => Buffer;
}

function sorted({ base, ours, theirs }: FileVersions): Versions | undefined {
  const swapped = Buffer.compare(ours, theirs) > 0;
  const origin = base && versionOf(base);
  const first = versionOf(swapped ? theirs : ours);
  const second = versionOf(swapped ? ours : theirs);
  if (first === undefined || second === undefined) return undefined;
  const all = origin === undefined ? [first, second] : [origin, first, second];
  const uniform = all.every(({ ending }) => ending !== undefined);
  const plain = ({ text }: Version): string => (uniform ? text.replaceAll('\r\n', '\n') : text);
  const bom = mergeScalar(origin?.bom, first.bom, second.bom);
  const ending = uniform ? mergeScalar(origin?.ending, first.ending, second.ending) : undefined;
  return {
    base: origin && plain(origin),
    first: plain(first),
    second: plain(second),
    swapped,
    finish: (text) =>
      Buffer.from((bom ? byteOrderMark : '') + (ending === '\r\n' ? text.replaceAll('\n', '\r\n') : text)),
  };
}

/** A version that was parsed. */
interface Side {
  readonly text: string;
  readonly shape: Shape;
  readonly fields: Fields;
}

function mergeRecordFiles(collection: Collection, path: string, files: FileVersions): MergedFile | undefined {
  const versions = sorted(files);
  if (versions === undefined) return undefined;
  const texts = { base: versions.base, ours: versions.first, theirs: versions.second };
  const own = (text: string): Shape => shapeOfText(collection.shape, path, text);
  const others = otherKeys([texts.base, texts.ours, texts.theirs], own);
  if (others === undefined) return undefined;
  const read = (text: string | undefined): Side | undefined =>
    text === undefined ? undefined : readSide(withFields(own(text), others), text);
  const [base, ours, theirs] = [read(baseText(texts.base, own)), read(texts.ours), read(texts.theirs)];
  if (ours === undefined || theirs === undefined || !isOneRecord(ours, theirs)) return undefined;
  const shape = withFields(shapeAt(collection.shape, path), others);
  const names = others.map(({ name }) => name);
  const merging = { ...collection, shape, members: [...(collection.members ?? []), ...names] };
  try {
    const merged = mergeSides(merging, base, ours, theirs);
    const pieces = merged.map((piece) => (isDisputed(piece) && versions.swapped ? swap(piece) : piece));
    return { bytes: versions.finish(withMarkers(pieces)), conflicts: pieces.filter(isDisputed).length };
  } catch (error) {
    // No file can have the merged record: the lines are merged as plain text.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

function swap({ base, ours, theirs }: Disputed<readonly string[]>): Disputed<readonly string[]> {
  return { base, ours: theirs, theirs: ours };
}

/** The shape of this text, in a collection with two formats: a record that changed its kind was renamed as well. */
function shapeOfText(shape: Shape, path: string, text: string): Shape {
  if (shape.alternative === undefined) return shape;
  if (/^<!--[ \t]*planner\b/.test(text)) return shapeAt(shape, 'x.html');
  return text.startsWith('---') ? shapeAt(shape, 'x.md') : shapeAt(shape, path);
}

/** A key that every format can contain unquoted. */
const plainName = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/**
 * Unknown keys as fields of kind `json`; undefined if one of them cannot be separated from the surrounding text, or if a
 * part of the front matter is ignored.
 */
function otherKeys(texts: readonly (string | undefined)[], own: (text: string) => Shape): Field[] | undefined {
  const names = new Set<string>();
  for (const text of texts) {
    const decoded = text === undefined ? undefined : decode(own(text), Buffer.from(text));
    // Ignored values would be merged as if they were absent: its lines are merged as text.
    if (decoded?.ok && decoded.notes.length > 0) return undefined;
    if (decoded?.ok) for (const name of decoded.unknown) names.add(name);
  }
  if ([...names].some((name) => !plainName.test(name))) return undefined;
  return [...names].map((name) => ({ name, kind: 'json', absent: null }));
}

function withFields(shape: Shape, fields: readonly Field[]): Shape {
  return fields.length === 0 ? shape : { ...shape, fields: [...shape.fields, ...fields] };
}

function readSide(shape: Shape, text: string): Side | undefined {
  const decoded = decode(shape, Buffer.from(text));
  if (!decoded.ok) return undefined;
  const fields: Record<string, unknown> = {};
  for (const { name, absent } of shape.fields) fields[name] = decoded.fields[name] ?? absent;
  if (shape.body !== undefined) fields[shape.body] = decoded.fields[shape.body] ?? '';
  return { text, shape, fields };
}

/**
 * With several common ancestors, git merges those first and passes the result, which may have conflict markers that
 * both branches have resolved since: either side of such a conflict can be the base.
 */
function baseText(text: string | undefined, own: (text: string) => Shape): string | undefined {
  if (text === undefined || decode(own(text), Buffer.from(text)).ok) return text;
  return text.replaceAll(/^<{7} .*\n([^]*?)^={7}\r?\n[^]*?^>{7} .*(?:\n|$)/gm, '$1');
}

function isOneRecord(ours: Side, theirs: Side): boolean {
  const [mine, other] = [ours.fields['id'] ?? null, theirs.fields['id'] ?? null];
  return mine === other || mine === null || other === null;
}

/**
 * The lines of the merged file. First the merged record is written into all three versions, each with its own
 * formatting, and these are merged: they differ in formatting only. Then each side's values of the conflicting fields
 * are written into the result.
 */
function mergeSides(collection: Collection, base: Side | undefined, ours: Side, theirs: Side): Piece[] {
  const { shape } = collection;
  const { record, disputed } = mergeRecords(collection, base && asRecord(base), asRecord(ours), asRecord(theirs));
  const id = ours.fields['id'] ?? theirs.fields['id'];
  const merged: Fields = { ...record, ...(id === undefined ? {} : { id }) };
  const valuesOf = (side: keyof Disputed<unknown>): Fields => {
    const own = Object.entries(disputed).map(([field, values]) => [field, values[side]] as const);
    return { ...merged, ...Object.fromEntries(own) };
  };
  const written = ({ text, shape: { format }, fields }: Side, target: Fields): string =>
    (format === shape.format ? patch(shape, Buffer.from(text), fields, target) : encode(shape, target)).toString();
  const writing = mergeWriting(
    shape,
    merged,
    base && written(base, merged),
    written(ours, merged),
    written(theirs, merged),
  );
  if (Object.keys(disputed).length === 0) return writing;
  const isClean = !writing.some(isDisputed);
  const whole = (side: Side, name: keyof Disputed<unknown>): string =>
    written(isClean ? { text: textOf(writing, name), shape, fields: merged } : side, valuesOf(name));
  const [mine, other] = [whole(ours, 'ours'), whole(theirs, 'theirs')];
  const pieces = mergeLines(base === undefined ? '' : whole(base, 'base'), mine, other);
  if (pieces.some(isDisputed)) return pieces.flatMap((piece) => (isDisputed(piece) ? refined(piece) : [piece]));
  return refined({ base: [], ours: mine.split('\n'), theirs: other.split('\n') });
}

function asRecord({ fields }: Side): StoredRecord {
  return { ...fields } as unknown as StoredRecord;
}

/** Merges versions that contain one record. Of two formattings either is kept, except for comments. */
function mergeWriting(shape: Shape, record: Fields, base: string | undefined, ours: string, theirs: string): Piece[] {
  if (ours === theirs) return [ours.split('\n')];
  const pieces = mergeLines(base ?? '', ours, theirs).flatMap((piece) =>
    isDisputed(piece) ? refined(piece) : [piece],
  );
  const isComment = (line: string): boolean => line.includes('#');
  if (pieces.some((piece) => isDisputed(piece) && [...piece.ours, ...piece.theirs].some(isComment))) return pieces;
  const text = textOf(pieces, 'theirs');
  const decoded = decode(shape, Buffer.from(text));
  const isRight = decoded.ok && holds(layoutOf(shape), decoded.fields, record, {});
  return [(isRight ? text : theirs).split('\n')];
}

function withMarkers(pieces: readonly Piece[]): string {
  const lines = pieces.flatMap((piece) =>
    isDisputed(piece) ? ['<<<<<<< ours', ...piece.ours, '=======', ...piece.theirs, '>>>>>>> theirs'] : piece,
  );
  return lines.join('\n');
}
