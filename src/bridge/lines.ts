import type { Readable, Writable } from 'node:stream';
import { PlannerError } from '../base/errors.ts';

const newline = 0x0a;
/** Strict: otherwise invalid UTF-8 would be stored with replacement characters, not as it was sent. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Calls `take` with each line of a stream, without its line end. For a line that is too long or not UTF-8 it passes the error to respond
 * with, and continues with the next line. Blank lines are skipped. Resolves when the stream ends or is destroyed.
 */
export function readLines(
  input: Readable,
  bytesMax: number,
  take: (line: string | PlannerError) => void,
): Promise<void> {
  let chunks: Buffer[] = [];
  let length = 0;
  const finish = (): void => {
    if (length > bytesMax)
      take(new PlannerError('payload_too_large', `A message is at most ${bytesMax} bytes.`, { bytes_max: bytesMax }));
    else if (length > 0) takeLine(Buffer.concat(chunks, length), take);
    chunks = [];
    length = 0;
  };
  input.on('data', (chunk: Buffer) => {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      keep(chunk.subarray(from, end));
      finish();
      from = end + 1;
    }
    keep(chunk.subarray(from));
  });
  return new Promise((resolve) => {
    input.once('end', () => (finish(), resolve()));
    input.once('close', () => resolve());
    input.once('error', () => resolve());
  });

  function keep(part: Buffer): void {
    length += part.length;
    // Do not buffer a line that will be rejected.
    if (length > bytesMax) chunks = [];
    else if (part.length > 0) chunks.push(part);
  }
}

function takeLine(bytes: Buffer, take: (line: string | PlannerError) => void): void {
  let line: string;
  try {
    line = decoder.decode(bytes);
  } catch {
    return take(new PlannerError('invalid_argument', 'The message is not UTF-8.'));
  }
  if (line.trim() !== '') take(line);
}

/** Writes whole lines in order. */
export class LineWriter {
  readonly #output: Writable;
  #last: Promise<void> = Promise.resolve();

  constructor(output: Writable) {
    this.#output = output;
  }

  write(line: string): void {
    const written = new Promise<void>((resolve) => this.#output.write(`${line}\n`, () => resolve()));
    this.#last = this.#last.then(() => written);
  }

  /** Resolves when all lines were written or have failed. */
  flushed(): Promise<void> {
    return this.#last;
  }
}
