import { createHash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';

/** Bytes of an output that are kept: as many of its beginning as of its end. */
const keptBytesMax = 256 * 1024;
const lineCharactersMax = 10_000;

/** The output of a program: its digest, its beginning and end, and its lines as they come. */
export class BoundedOutput {
  readonly #hash = createHash('sha256');
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #bytes = 0;
  readonly #onLine: (line: string) => void;
  readonly #rests: (() => void)[] = [];

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Returns a function that takes the chunks of one stream. */
  stream(): (chunk: Buffer) => void {
    const decoder = new StringDecoder();
    let line = '';
    const show = (): void => {
      this.#onLine(stripVTControlCharacters(line.replace(/\r$/, '')));
      line = '';
    };
    this.#rests.push(() => {
      if (line !== '') show();
    });
    return (chunk) => {
      this.#keep(chunk);
      const [first = '', ...rest] = decoder.write(chunk).split('\n');
      line += first;
      if (line.length > lineCharactersMax) show();
      for (const next of rest) {
        show();
        line = next;
      }
    };
  }

  /** Shows the lines that did not end. */
  end(): void {
    for (const rest of this.#rests) rest();
  }

  get sha256(): string {
    return this.#hash.copy().digest('hex');
  }

  /** The text without colours; of a long output its beginning and its end. */
  get text(): string {
    const [head, tail] = [Buffer.concat(this.#head), Buffer.concat(this.#tail).subarray(-keptBytesMax / 2)];
    const left = this.#bytes - head.length - tail.length;
    const between = left === 0 ? '' : `\n[… ${left} bytes …]\n`;
    return stripVTControlCharacters(`${head.toString()}${between}${tail.toString()}`).replaceAll('\0', '');
  }

  #keep(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    const room = keptBytesMax / 2 - this.#headBytes;
    if (room > 0) {
      this.#head.push(chunk.subarray(0, room));
      this.#headBytes += Math.min(room, chunk.length);
    }
    const rest = chunk.subarray(Math.max(0, room));
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    if (this.#tailBytes < keptBytesMax) return;
    this.#tail = [Buffer.concat(this.#tail).subarray(-keptBytesMax / 2)];
    this.#tailBytes = this.#tail[0]!.length;
  }
}
