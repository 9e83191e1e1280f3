import { isUtf8 } from 'node:buffer';

/** A file that cannot be read as a record. `offset` counts UTF-16 units in the text that was passed to the reader. */
export class Unreadable extends Error {
  readonly offset: number;

  constructor(offset: number, reason: string) {
    super(reason);
    this.name = 'Unreadable';
    this.offset = offset;
  }
}

/** The text of a file without its byte order mark; `bom` is true if it has one. */
export interface SourceText {
  readonly text: string;
  readonly bom: boolean;
}

/** The byte order mark as a string. */
export const byteOrderMark = '\ufeff';

/** The bytes as a Buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Decodes UTF-8; undefined if the bytes are not UTF-8. */
export function sourceText(bytes: Uint8Array): SourceText | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = asBuffer(bytes).toString();
  const bom = text.startsWith(byteOrderMark);
  return { text: bom ? text.slice(1) : text, bom };
}

/** The first line, from 1, with bytes that are not UTF-8. */
export function firstBadLine(bytes: Uint8Array): number {
  let line = 1;
  for (let start = 0; start < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, start) + 1 || bytes.length;
    if (!isUtf8(bytes.subarray(start, end))) return line;
    start = end;
  }
  return line;
}

/** The line, from 1, that contains an offset. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** The line ending of a text, according to its first line: a person's file uses one. */
export function lineEnding(text: string): '\n' | '\r\n' {
  const first = text.indexOf('\n');
  return first > 0 && text.charAt(first - 1) === '\r' ? '\r\n' : '\n';
}
