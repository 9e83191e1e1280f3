import { createTwoFilesPatch } from 'diff';

/** The two texts of a difference, concatenated in one text. */
export interface DiffOptions {
  /** The name of the text in the difference. */
  readonly field: string;
  /** Where the second text begins. */
  readonly beforeCharacters: number;
}

/** The maximal number of changed lines: the time for the smallest difference is quadratic in it. */
const changedLinesMax = 2000;

/** The unified difference of two texts. If they have next to nothing in common, one replaces the other. */
export function unifiedDiff(texts: string, { field, beforeCharacters }: DiffOptions): string {
  const [before, after] = [texts.slice(0, beforeCharacters), texts.slice(beforeCharacters)];
  const options = { context: 3, maxEditLength: changedLinesMax };
  return (
    createTwoFilesPatch(field, field, before, after, 'before', 'after', options) ??
    replacedText(texts, { field, beforeCharacters })
  );
}

/** The difference with all lines of both texts. */
export function replacedText(texts: string, { field, beforeCharacters }: DiffOptions): string {
  const [before, after] = [texts.slice(0, beforeCharacters), texts.slice(beforeCharacters)];
  const [removed, added] = [wholeOf(before, '-'), wholeOf(after, '+')];
  return `--- ${field}\tbefore\n+++ ${field}\tafter\n@@ ${removed.range} ${added.range} @@\n${removed.lines}${added.lines}`;
}

/** A whole text as a hunk of a unified diff. */
function wholeOf(text: string, sign: '-' | '+'): { readonly range: string; readonly lines: string } {
  if (text === '') return { range: `${sign}0,0`, lines: '' };
  const lines = text.split('\n');
  const ended = lines.at(-1) === '';
  if (ended) lines.pop();
  const end = ended ? '' : '\\ No newline at end of file\n';
  return { range: `${sign}1,${lines.length}`, lines: lines.map((line) => `${sign}${line}\n`).join('') + end };
}
