import { stripVTControlCharacters } from 'node:util';
import type { Clock } from '../../../base/clock.ts';
import { plainLine } from '../../../base/printable.ts';
import { Newest } from './newest.ts';

/** At most one line is shown in this time. */
const lineMs = 1_000;
const lineCharactersMax = 300;

/** A text of an agent as one line: without control characters, and not longer than `max`. */
export function lineOf(text: string, max = lineCharactersMax): string {
  const line = plainLine(stripVTControlCharacters(text.slice(0, 4 * max))).replace(/\s+/g, ' ');
  return line.length <= max ? line : `${line.slice(0, max - 1).toWellFormed()}…`;
}

/** The lines of progress of an agent. It may say more than anyone reads: of the lines of a second the newest is shown. */
export class Progress {
  readonly #lines: Newest<string>;
  /** The rest of a message that has not ended its line or sentence. */
  #rest = '';

  constructor(clock: Clock, show: (line: string) => void) {
    this.#lines = new Newest(clock, lineMs, show);
  }

  line(text: string): void {
    const line = lineOf(text);
    if (line !== '') this.#lines.take(line);
  }

  /** Takes the next piece of a message, and shows it line by line, or by sentences. */
  text(piece: string): void {
    const parts = (this.#rest + piece).split(/\n+|(?<=[.!?])\s+/);
    this.#rest = parts.pop()!;
    for (const part of parts) this.line(part);
    if (this.#rest.length > lineCharactersMax) this.endText();
  }

  /** Shows the last piece of a message. */
  endText(): void {
    this.line(this.#rest);
    this.#rest = '';
  }

  /** Shows the rest, now. */
  end(): void {
    this.endText();
    this.#lines.end();
  }
}
