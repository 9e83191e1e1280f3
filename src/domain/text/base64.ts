import { invalid } from '../../base/errors.ts';

const foreign = /[^A-Za-z0-9+/=]/;

/**
 * Decodes base64 in chunks, strictly: Node's own decoder skips unknown characters. Throws `invalid_argument` for the member, with the
 * position of the first wrong character.
 */
export class Base64Decoder {
  readonly #member: string;
  /** Characters after the last complete group of four. */
  #left = '';
  /** Characters of whole groups so far. */
  #position = 0;
  #ended = false;

  constructor(member: string) {
    this.#member = member;
  }

  /** The bytes of every whole group so far. */
  write(text: string): Buffer {
    const all = this.#left + text;
    const whole = all.length - (all.length % 4);
    this.#left = all.slice(whole);
    return this.#decode(whole === all.length ? all : all.slice(0, whole));
  }

  /** Called at the end: every group must be complete. */
  end(): void {
    if (this.#left === '') return;
    this.#requireLetters(this.#left);
    throw this.#wrong(this.#position + this.#left.length, 'it ends within a group of four characters');
  }

  #decode(text: string): Buffer {
    if (text === '') return Buffer.alloc(0);
    if (this.#ended) throw this.#wrong(this.#position, 'there are characters after the final =');
    const bytes = Buffer.from(text, 'base64');
    if (!isWhole(text, bytes)) this.#requireLetters(text);
    this.#position += text.length;
    return bytes;
  }

  #requireLetters(text: string): void {
    const at = text.search(foreign);
    if (at !== -1)
      throw this.#wrong(this.#position + at, `${JSON.stringify(text.charAt(at))} is not a character of base64`);
    const end = text.indexOf('=');
    if (end === -1) return;
    if (!/^==?$/.test(text.slice(end))) throw this.#wrong(this.#position + end, 'it has an = in the middle');
    this.#ended = true;
  }

  #wrong(position: number, why: string): Error {
    return invalid(
      this.#member,
      `${this.#member} is not base64: at character ${position} ${why}. It has the letters A-Z and a-z, digits, + and /, padded with = to a multiple of four.`,
      { position },
    );
  }
}

/**
 * Returns whether every character belongs to standard base64: Node skips others, accepts two more, and uses the low
 * byte of wider characters.
 */
function isWhole(text: string, bytes: Buffer): boolean {
  const isEach = bytes.length === (text.length / 4) * 3 && Buffer.byteLength(text) === text.length;
  return isEach && !text.includes('-') && !text.includes('_');
}

/** Decodes a text in base64. Throws `invalid_argument` for the member, with the position, for any other text. */
export function bytesOfBase64(text: string, member: string): Buffer {
  const decoder = new Base64Decoder(member);
  const bytes = decoder.write(text);
  decoder.end();
  return bytes;
}
