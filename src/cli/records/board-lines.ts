import { lazily } from '../../base/lazily.ts';
import { heading } from '../terminal/style.ts';
import type { StyledLine } from '../terminal/style.ts';

/** A column of a board in a terminal. Texts are of one line. */
export interface BoardColumn {
  readonly title: string;
  readonly cards: readonly { readonly title: string; readonly beside: string }[];
  /** Cards that are not shown. */
  readonly more: number;
}

/** Columns narrower than this break most words: fewer are put side by side then. */
const widthMin = 18;
const gap = '  ';
/** The lines of a title: a card is to be recognised, not read. */
const titleLinesMax = 3;

/** A board as lines of at most `width` characters: as many columns side by side as fit, the others below. */
export function boardLines(columns: readonly BoardColumn[], width: number): readonly (string | StyledLine)[] {
  const fitting = Math.max(1, Math.floor((width + gap.length) / (widthMin + gap.length)));
  const bands = Math.ceil(columns.length / fitting);
  // The bands are even: three columns above two, not four above one.
  const beside = Math.ceil(columns.length / Math.max(1, bands));
  const columnWidth = Math.max(1, Math.floor((width - gap.length * (beside - 1)) / Math.max(1, beside)));
  const lines: (string | StyledLine)[] = [];
  for (let at = 0; at < columns.length; at += beside) {
    if (at > 0) lines.push('');
    const [titles = '', ...cards] = besideOneAnother(
      columns.slice(at, at + beside).map((column) => columnLines(column, columnWidth)),
      columnWidth,
    );
    lines.push(heading(titles), ...cards);
  }
  return lines;
}

function besideOneAnother(columns: readonly (readonly string[])[], width: number): readonly string[] {
  const height = Math.max(...columns.map((lines) => lines.findLastIndex((line) => line !== '') + 1));
  return Array.from({ length: height }, (_, row) =>
    columns
      .map((lines) => padded(lines[row] ?? '', width))
      .join(gap)
      .trimEnd(),
  );
}

function columnLines({ title, cards, more }: BoardColumn, width: number): readonly string[] {
  return [
    cut(title, width),
    '-'.repeat(width),
    ...cards.flatMap((card) => [
      ...wrappedText(card.title, width),
      ...(card.beside === '' ? [] : [cut(`  ${card.beside}`, width)]),
      '',
    ]),
    ...(more === 0 ? [] : [`${more} more (--all)`]),
  ];
}

/** The lines of a title; a longer title ends in dots. Words that are longer than a line are broken. */
function wrappedText(text: string, width: number): readonly string[] {
  const lines = [''];
  for (const word of text.split(' ').flatMap((one) => piecesOf(one, width))) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (lengthOf(line) + 1 + lengthOf(word) <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  if (lines.length <= titleLinesMax) return lines;
  return [...lines.slice(0, titleLinesMax - 1), cut(lines.slice(titleLinesMax - 1).join(' '), width)];
}

function piecesOf(word: string, width: number): readonly string[] {
  const pieces: string[] = [];
  for (let rest = word; rest !== '';) {
    const piece = beginning(rest, width);
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return pieces;
}

function cut(text: string, width: number): string {
  return lengthOf(text) <= width ? text : `${beginning(text, width - 1)}…`;
}

/** As many letters as fit, at least one. */
function beginning(text: string, width: number): string {
  let taken = '';
  for (const { segment } of segmenter().segment(text)) {
    if (taken !== '' && lengthOf(taken + segment) > width) break;
    taken += segment;
  }
  return taken;
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - lengthOf(text)));
}

const segmenter = lazily(() => new Intl.Segmenter());
/** Letters that take two columns of a terminal: the scripts of East Asia, and pictures. */
const wide =
  /\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|[\u3000-\u303f\uff01-\uff60]|\p{Emoji_Presentation}/u;

/** The columns that a text takes in a terminal. */
function lengthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return [...segmenter().segment(text)].reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0);
}
