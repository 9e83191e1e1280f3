import { isUtf8 } from 'node:buffer';

/** A text as its bytes say. */
export interface DecodedText {
  /** Without a byte order mark. */
  readonly text: string;
  /** The encoding that is assumed if nothing in the bytes determines it. */
  readonly assumed?: string;
  /** The reason why the text differs from the written one; undefined if it does not. */
  readonly problem?: string;
}

/**
 * Decodes UTF-8, UTF-16 with or without a byte order mark, and what else has no such form as Windows-1252, which spreadsheets write. UTF-8
 * with some other bytes in it is no encoding, and is a problem.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  const wide = wideEncoding(bytes);
  if (wide !== undefined) return decodeAs(wide, bytes);
  if (isUtf8(bytes)) return { text: new TextDecoder().decode(bytes) };
  const { offset, sequences, others } = survey(bytes);
  const isOther = sequences < others && !bytes.some((byte) => unassigned.has(byte));
  if (isOther) return { text: new TextDecoder('windows-1252').decode(bytes), assumed: 'Windows-1252' };
  return { text: new TextDecoder().decode(bytes), problem: problemAt(bytes, offset) };
}

/** The bytes that Windows-1252 has no character for. */
const unassigned = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d]);

function problemAt(bytes: Uint8Array, offset: number): string {
  let line = 1;
  for (let at = bytes.indexOf(0x0a); at !== -1 && at < offset; at = bytes.indexOf(0x0a, at + 1)) line++;
  const byte = bytes[offset]!.toString(16).toUpperCase().padStart(2, '0');
  return `Line ${line} has the byte 0x${byte} (at ${offset}), which is not UTF-8, nor is the file Windows-1252 or UTF-16: save it as UTF-8.`;
}

/** Detects UTF-16 by its byte order mark, or by the zero bytes next to the characters of ASCII in its beginning. */
function wideEncoding(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const head = bytes.subarray(0, 256);
  const pairs = Math.floor(head.length / 2);
  const zeros = [0, 0];
  for (let at = 0; at < pairs * 2; at++) if (head[at] === 0) zeros[at % 2]!++;
  if (pairs < 2 || bytes.length % 2 === 1) return undefined;
  if (zeros[0] === 0 && zeros[1]! * 2 > pairs) return 'utf-16le';
  return zeros[1] === 0 && zeros[0]! * 2 > pairs ? 'utf-16be' : undefined;
}

function decodeAs(encoding: string, bytes: Uint8Array): DecodedText {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) };
  } catch {
    const text = new TextDecoder(encoding).decode(bytes);
    const line = text.slice(0, Math.max(text.indexOf('\ufffd'), 0)).split('\n').length;
    return { text, problem: `Line ${line} is not ${encoding.toUpperCase()}, as the file begins: save it as UTF-8.` };
  }
}

/** The first byte that is not UTF-8, the number of such bytes, and of characters of several bytes. */
function survey(bytes: Uint8Array): { readonly offset: number; readonly sequences: number; readonly others: number } {
  let [offset, sequences, others] = [-1, 0, 0];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte < 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    if (at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length))) {
      sequences++;
      at += length - 1;
    } else {
      others++;
      if (offset === -1) offset = at;
    }
  }
  return { offset, sequences, others };
}
