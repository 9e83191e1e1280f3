import { stripVTControlCharacters } from 'node:util';
import type { Clock, Timer } from '../../../base/clock.ts';
import { plainLine } from '../../../base/printable.ts';

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
  readonly #clock: Clock;
  readonly #show: (line: string) => void;
  #next: string | undefined;
  #pause: Timer | undefined;
  /** The rest of a message that has not ended its line or sentence. */
  #rest = '';

  constructor(clock: Clock, show: (line: string) => void) {
    this.#clock = clock;
    this.#show = show;
  }

  line(text: string): void {
    const line = lineOf(text);
    if (line === '') return;
    this.#next = line;
    if (this.#pause === undefined) this.#showNext();
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

  /** Shows what is left, now. */
  end(): void {
    this.endText();
    this.#pause?.cancel();
    this.#pause = undefined;
    if (this.#next !== undefined) this.#show(this.#next);
    this.#next = undefined;
  }

  #showNext(): void {
    this.#pause = undefined;
    const line = this.#next;
    if (line === undefined) return;
    this.#next = undefined;
    this.#pause = this.#clock.after(lineMs, () => this.#showNext());
    this.#show(line);
  }
}
