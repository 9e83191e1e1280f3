import { diff3Merge } from 'node-diff3';

/** A stretch of a text: settled, or changed on both sides in different ways. */
export type Piece =
  { readonly text: string } | { readonly base: string; readonly mine: string; readonly theirs: string };

export function isOpen(piece: Piece): piece is Extract<Piece, { base: string }> {
  return 'base' in piece;
}

/** The pieces of a text, in their order: those that are settled, and between them what both sides changed. Joined they are the text. */
export function mergeTexts(base: string, mine: string, theirs: string): readonly Piece[] {
  if (mine === theirs || theirs === base) return [{ text: mine }];
  if (mine === base) return [{ text: theirs }];
  return joined(merged(linesOf(mine), linesOf(base), linesOf(theirs)).flatMap(byWords));
}

/** In a line that both changed, words that only one of them changed are settled too. */
function byWords(piece: Piece): readonly Piece[] {
  if (!isOpen(piece)) return [piece];
  const pieces = merged(wordsOf(piece.mine), wordsOf(piece.base), wordsOf(piece.theirs));
  // A sentence made of halves of both is neither author's: if words conflict, the lines stay whole for a person to choose from.
  return pieces.some(isOpen) ? [piece] : pieces;
}

function merged(mine: string[], base: string[], theirs: string[]): Piece[] {
  return diff3Merge(mine, base, theirs, { excludeFalseConflicts: true }).map((region) =>
    region.ok === undefined
      ? { base: region.conflict!.o.join(''), mine: region.conflict!.a.join(''), theirs: region.conflict!.b.join('') }
      : { text: region.ok.join('') },
  );
}

function joined(pieces: readonly Piece[]): readonly Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (last !== undefined && !isOpen(last) && !isOpen(piece)) all[all.length - 1] = { text: last.text + piece.text };
    else all.push(piece);
  }
  return all;
}

/** Lines with their ends. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
}
