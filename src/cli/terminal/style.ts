import { styleText } from 'node:util';
import { printable, printableLine } from '../../base/printable.ts';

/** The few styles: for the important, the wrong and the skippable parts. */
export type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green';

/** A part of a line. */
export interface Span {
  readonly style: Style;
  readonly text: string;
}

/** A line with parts that have a style, on a terminal with colours. */
export interface StyledLine {
  readonly parts: readonly (string | Span)[];
}

/** A text of several lines, such as a document's body: its line feeds are kept. */
export interface TextBlock {
  readonly block: string;
}

/** A line of output for people. A string is printed as one line, even if a title or name in it contains line breaks. */
export type ShownLine = string | StyledLine | TextBlock;

/** A line of parts and of other lines. */
export function row(...parts: readonly (string | Span | StyledLine)[]): StyledLine {
  return { parts: parts.flatMap((part) => (typeof part === 'object' && 'parts' in part ? part.parts : [part])) };
}

/** A part in a style; without one as it is. */
export function span(style: Style | undefined, text: string): string | Span {
  return style === undefined || text === '' ? text : { style, text };
}

export function heading(text: string): StyledLine {
  return row(span('bold', text));
}

/**
 * A line as it is printed: control characters of its texts are escaped, but not the control characters of the styles.
 */
export function rendered(line: ShownLine, colours: boolean): string {
  if (typeof line === 'string') return printableLine(line);
  if ('block' in line) return printable(line.block);
  return line.parts
    .map((part) => {
      if (typeof part === 'string') return printableLine(part);
      const text = printableLine(part.text);
      return colours ? styleText(part.style, text, { validateStream: false }) : text;
    })
    .join('');
}

/** The conditions for colours. */
export interface ColourSettings {
  readonly isTerminal: boolean;
  /** --no-color. */
  readonly refused: boolean;
  /** FORCE_COLOR, NO_COLOR and TERM; undefined if they do not decide. */
  readonly byEnvironment: boolean | undefined;
}

export function hasColours({ isTerminal, refused, byEnvironment }: ColourSettings): boolean {
  return !refused && (byEnvironment ?? isTerminal);
}
