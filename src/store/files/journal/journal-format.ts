import { crc32 } from 'node:zlib';
import { checksumText, framed, unframed } from '../disk/framed-lines.ts';
import { jsonPieces } from '../../record/json-pieces.ts';
import type { Entry } from '../../record/log.ts';
import type { Steps } from '../../../base/slices.ts';

/** The version of the lines below. A journal of another version is rejected rather than misread. */
export const journalVersion = 1;

/**
 * Records that a file contains the project's state since entry `seq`; appended after the file is written. `sha256` is
 * null if the file was removed.
 */
export interface Mark {
  readonly project: string;
  readonly path: string;
  readonly seq: number;
  readonly sha256: string | null;
}

/**
 * The first line of a segment: seq and id of the last entry of every project before it, so that they continue after
 * older segments are removed. Earlier versions of Planner wrote no ids.
 */
export interface SegmentHeader {
  readonly journal: number;
  readonly seqs: Readonly<Record<string, number>>;
  readonly ids?: Readonly<Record<string, string>>;
}

/** The possible lines after the header. */
export type LineValue =
  | Entry
  | { readonly carried: Entry }
  /** Entries of several projects, which exist all or not at all. */
  | { readonly together: readonly Entry[] }
  | { readonly written: readonly Mark[] }
  /**
   * Starts the lines of one write: whatever is damaged after the last of these was never acknowledged. `boot` is the
   * machine's boot id at that time; if it has changed since, unsynced files may be lost.
   */
  | { readonly batch: number; readonly boot?: string };

/** The entries in a line. */
export function entriesOf(value: SegmentHeader | LineValue): readonly Entry[] {
  if ('project' in value) return [value];
  if ('together' in value) return value.together;
  return 'carried' in value ? [value.carried] : [];
}

/** The JSON text of a line. */
export function textOf(value: LineValue): string {
  return JSON.stringify(value);
}

/** The value as a line. */
export function frame(value: SegmentHeader | LineValue): string {
  return framed(JSON.stringify(value));
}

/**
 * The line of an entry in pieces, for an entry too large to be encoded in one step. `body` comes first, so that members
 * that are known last need not be hashed first. The checksum precedes the content: the generator returns the pieces
 * when all of them exist.
 */
export function* frameSliced({ body, ...entry }: Entry): Steps<Uint8Array[]> {
  const pieces: Uint8Array[] = [Buffer.alloc(0)];
  let checksum = 0;
  const add = (text: string): void => {
    const piece = Buffer.from(text);
    checksum = crc32(piece, checksum);
    pieces.push(piece);
  };
  add('{"body":');
  for (const text of jsonPieces(body as object)) {
    add(text);
    yield;
  }
  add(`,${JSON.stringify(entry).slice(1)}`);
  pieces[0] = Buffer.from(`${checksumText(checksum)} `);
  pieces.push(Buffer.from('\n'));
  return pieces;
}

/** One valid line of a segment. */
export interface ReadLine {
  readonly line: number;
  readonly value: SegmentHeader | LineValue;
}

/**
 * The valid lines of a segment. `torn` is where the first invalid line begins if no valid write follows it (a torn
 * write); `corrupt` is that position if another write follows, which a crash cannot cause. Lines count from 1, offsets
 * are bytes.
 */
export interface SegmentContent {
  /** Bytes that contain lines; only preallocated zeros follow. */
  readonly size: number;
  readonly lines: readonly ReadLine[];
  readonly torn?: { readonly line: number; readonly offset: number };
  readonly corrupt?: { readonly line: number; readonly offset: number };
}

export function readSegment(file: Buffer): SegmentContent {
  const bytes = withoutZeros(file);
  const lines: ReadLine[] = [];
  let bad: { line: number; offset: number } | undefined;
  let line = 1;
  for (let offset = 0; offset < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, offset);
    // Without its LF even a line with a matching checksum was never acknowledged: the LF is part of the same write.
    const value = end < 0 ? undefined : unframed(bytes.subarray(offset, end));
    if (value === undefined) bad ??= { line, offset };
    else if (bad === undefined) lines.push({ line, value: value as ReadLine['value'] });
    // A power failure may keep later blocks of one write and lose earlier ones, but of two writes it keeps the first.
    else if ('batch' in (value as object)) return { size: bytes.length, lines, corrupt: bad };
    offset = end < 0 ? bytes.length : end + 1;
  }
  return bad ? { size: bytes.length, lines, torn: bad } : { size: bytes.length, lines };
}

function withoutZeros(file: Buffer): Buffer {
  let end = file.length;
  while (end > 0 && file[end - 1] === 0) end--;
  return file.subarray(0, end);
}
