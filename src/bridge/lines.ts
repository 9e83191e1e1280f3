import type { Readable, Writable } from 'node:stream';
import { PlannerError } from '../errors.ts';

const newline = 0x0a;
/** Strict: what is no UTF-8 would otherwise reach the plan as something else than was sent. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Hands over each line of a stream, without its end; what is too long or no UTF-8 as the error to answer with, and the next line is read
 * as usual. Blank lines say nothing. Resolves when the stream has ended or was destroyed.
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
    // What nobody is going to read is not held.
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

/** Writes lines whole and in the order in which they were given. */
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

  /** Resolves when everything that was given is taken, or will never be. */
  flushed(): Promise<void> {
    return this.#last;
  }
}
