import { isDisputed, refined, wordsOf } from '../../base/merge-text.ts';

/** A part of an excerpt: unchanged, removed or added. */
export interface ExcerptPart {
  readonly change: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** A passage around changed words. */
export type Excerpt = readonly ExcerptPart[];

/** The change of a text in words. */
export interface WordChange {
  readonly added: number;
  readonly removed: number;
  /** White space alone differs. */
  readonly isSpacing: boolean;
  readonly excerpts: readonly Excerpt[];
}

/** Larger texts are compared by lines. */
const wordCharactersMax = 400_000;
/** Unchanged words around a change. */
const contextWords = 6;
/** The words of one change that are shown. */
const shownWords = 40;

interface Run {
  readonly change: ExcerptPart['change'];
  readonly units: readonly string[];
}

/** Compares two texts by words. */
export function wordChange(before: string, after: string): WordChange {
  const runs = runsOf(before, after);
  const count = (change: Run['change']): number =>
    runs.filter((run) => run.change === change).reduce((sum, { units }) => sum + countWords(units), 0);
  return {
    added: count('added'),
    removed: count('removed'),
    isSpacing: plain(before).trim() === plain(after).trim(),
    excerpts: excerptsOf(runs),
  };
}

function runsOf(before: string, after: string): readonly Run[] {
  const units = before.length + after.length > wordCharactersMax ? linesOf : wordsOf;
  const pieces = refined({ base: [], ours: units(before), theirs: units(after) });
  const runs = pieces.flatMap((piece): Run[] =>
    isDisputed(piece)
      ? [
          { change: 'removed', units: piece.ours },
          { change: 'added', units: piece.theirs },
        ]
      : [{ change: 'same', units: piece }],
  );
  return runs.filter(({ units: own }) => own.length > 0);
}

function linesOf(text: string): readonly string[] {
  return text.split(/(?<=\n)/);
}

function countWords(units: readonly string[]): number {
  return units.filter((unit) => unit.trim() !== '').length;
}

/** Changes with the words around them; changes with few words between them are one passage. */
function excerptsOf(runs: readonly Run[]): readonly Excerpt[] {
  const excerpts: ExcerptPart[][] = [];
  let open: ExcerptPart[] | undefined;
  runs.forEach(({ change, units }, at) => {
    const isLast = at === runs.length - 1;
    if (change !== 'same') {
      if (open === undefined) excerpts.push((open = []));
      open.push({ change, text: cut(units) });
    } else if (open !== undefined && !isLast && units.length <= 2 * contextWords) {
      open.push({ change, text: plain(units.join('')) });
    } else {
      if (open !== undefined) open.push({ change, text: headOf(units) });
      open = isLast ? undefined : [{ change, text: tailOf(units) }];
      if (open !== undefined) excerpts.push(open);
    }
  });
  return excerpts;
}

function headOf(units: readonly string[]): string {
  return plain(units.slice(0, contextWords).join('')) + (units.length > contextWords ? ' …' : '');
}

function tailOf(units: readonly string[]): string {
  return (units.length > contextWords ? '…' : '') + plain(units.slice(-contextWords).join(''));
}

function cut(units: readonly string[]): string {
  const shown = plain(units.slice(0, shownWords).join('')).slice(0, 12 * shownWords);
  return units.length > shownWords ? `${shown} … (${units.length} words)` : shown;
}

/** A passage is shown in one line. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ');
}
