import { diffIndices } from 'node-diff3';
import type { Disputed } from './merged.ts';

/** A merged text. */
export interface MergedText {
  readonly text: string;
  /** True where both changed the same lines, so that ours are not in `text`. */
  readonly conflict: boolean;
}

/** Lines that are merged, or that both changed in different ways. */
export type Piece = readonly string[] | Disputed<readonly string[]>;

/** Lines `[start, end)` of the base, and what one side has in their place. */
interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** Comparing two texts line by line takes this many steps at most; larger differences count as one hunk. */
const diffStepsMax = 4_000_000;

/**
 * Merges two changes of a text line by line. Changes of different lines are both kept; if they overlap, `theirs` wins and
 * `conflict` is true. The same change on both sides is none.
 */
export function mergeText(base: string, ours: string, theirs: string): MergedText {
  if (ours === theirs || ours === base) return { text: theirs, conflict: false };
  if (theirs === base) return { text: ours, conflict: false };
  const pieces = mergeLines(base, ours, theirs);
  return { text: textOf(pieces, 'theirs'), conflict: pieces.some(isDisputed) };
}

/** The merged text as one side would have it: with its own lines where both changed the same. */
export function textOf(pieces: readonly Piece[], side: keyof Disputed<unknown>): string {
  return pieces.flatMap((piece) => (isDisputed(piece) ? piece[side] : piece)).join('\n');
}

export function isDisputed(piece: Piece): piece is Disputed<readonly string[]> {
  return 'base' in piece;
}

/** Merges two changes of a text, piece by piece in their order: the lines of all of them, joined by line feeds, are the merged text. */
export function mergeLines(base: string, ours: string, theirs: string): Piece[] {
  const lines = base.split('\n');
  const left = hunks(lines, ours.split('\n'));
  const right = hunks(lines, theirs.split('\n'));
  const pieces: Piece[] = [];
  let at = 0;
  for (const region of regions(left, right)) {
    pieces.push(lines.slice(at, region.start));
    at = region.end;
    const mine = applied(lines, region, region.ours);
    const other = applied(lines, region, region.theirs);
    if (region.ours.length === 0) pieces.push(other);
    else if (region.theirs.length === 0 || sameLines(mine, other)) pieces.push(mine);
    else pieces.push({ base: lines.slice(region.start, region.end), ours: mine, theirs: other });
  }
  pieces.push(lines.slice(at));
  return pieces;
}

/** Cuts what both changed down to the lines in which they differ: what both put there alike is theirs together. */
export function refined(piece: Disputed<readonly string[]>): Piece[] {
  const { base, ours, theirs } = piece;
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end, lines } of hunks(ours, theirs)) {
    const common = ours.slice(at, start);
    const last = pieces.at(-1);
    // Blank lines alone do not part two conflicts: a person reads them as one.
    if (last !== undefined && isDisputed(last) && common.every((line) => line.trim() === '')) {
      const [mine, other] = [ours.slice(start, end), lines];
      pieces[pieces.length - 1] = {
        base,
        ours: [...last.ours, ...common, ...mine],
        theirs: [...last.theirs, ...common, ...other],
      };
    } else pieces.push(common, { base, ours: ours.slice(start, end), theirs: lines });
    at = end;
  }
  pieces.push(ours.slice(at));
  return pieces;
}

/** Where one side differs from the base. */
function hunks(base: readonly string[], side: readonly string[]): Hunk[] {
  const shorter = Math.min(base.length, side.length);
  let head = 0;
  while (head < shorter && base[head] === side[head]) head++;
  let tail = 0;
  while (tail < shorter - head && base[base.length - 1 - tail] === side[side.length - 1 - tail]) tail++;
  const from = base.slice(head, base.length - tail);
  const to = side.slice(head, side.length - tail);
  if (from.length === 0 || to.length === 0 || diffSteps(from, to) > diffStepsMax) {
    return from.length + to.length === 0 ? [] : [{ start: head, end: base.length - tail, lines: to }];
  }
  return diffIndices(from, to).map(({ buffer1: [start, length], buffer2Content }) => ({
    start: head + start,
    end: head + start + length,
    lines: buffer2Content,
  }));
}

/** How many pairs of equal lines a comparison has to visit: many if a text often repeats one line (an empty one). */
function diffSteps(from: readonly string[], to: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of to) counts.set(line, (counts.get(line) ?? 0) + 1);
  let steps = 0;
  for (const line of from) steps += counts.get(line) ?? 0;
  return steps + from.length;
}

/** A stretch of the base that one side changed, or both in ways that meet. */
interface Region {
  readonly start: number;
  end: number;
  readonly ours: Hunk[];
  readonly theirs: Hunk[];
}

function regions(ours: readonly Hunk[], theirs: readonly Hunk[]): Region[] {
  const all = [...ours.map((hunk) => ({ hunk, mine: true })), ...theirs.map((hunk) => ({ hunk, mine: false }))];
  all.sort((a, b) => a.hunk.start - b.hunk.start || a.hunk.end - b.hunk.end);
  const found: Region[] = [];
  let last: Region | undefined;
  for (const { hunk, mine } of all) {
    if (last === undefined || !meets(last, hunk))
      found.push((last = { start: hunk.start, end: hunk.end, ours: [], theirs: [] }));
    last.end = Math.max(last.end, hunk.end);
    (mine ? last.ours : last.theirs).push(hunk);
  }
  return found;
}

/** Neighbouring lines are different lines; but where one side inserts beside what the other changed, their order is anybody's guess. */
function meets(region: Region, hunk: Hunk): boolean {
  if (hunk.start < region.end) return true;
  const inserts =
    hunk.start === hunk.end ||
    [...region.ours, ...region.theirs].some(({ start, end }) => start === end && end === region.end);
  return hunk.start === region.end && inserts;
}

/** The region as one side has it. */
function applied(base: readonly string[], { start, end }: Region, side: readonly Hunk[]): string[] {
  const lines: string[] = [];
  let at = start;
  for (const hunk of side) {
    lines.push(...base.slice(at, hunk.start), ...hunk.lines);
    at = hunk.end;
  }
  return [...lines, ...base.slice(at, end)];
}

function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, i) => line === b[i]);
}
