import { crc32 } from 'node:zlib';

const checksumLength = 8;
const space = 0x20;
const lineFeed = 0x0a;
/** The parts of a line besides its JSON: the checksum, a space and LF. */
const frameLength = checksumLength + 2;
const digits = Buffer.from('0123456789abcdef', 'latin1');

/** One line: 8 hexadecimal digits of the CRC-32 of the JSON, a space, the JSON, LF. */
export function framed(json: string): string {
  return framedLines([json]).toString();
}

/** Frames several texts, in one buffer. */
export function framedLines(texts: readonly string[]): Buffer {
  let size = 0;
  for (const json of texts) size += frameLength + Buffer.byteLength(json);
  const lines = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const json of texts) {
    const start = at + checksumLength + 1;
    const end = start + lines.write(json, start);
    writeChecksum(lines, at, crc32(lines.subarray(start, end)));
    lines[start - 1] = space;
    lines[end] = lineFeed;
    at = end + 1;
  }
  return lines;
}

/** The value of one line without its LF, or undefined if `framed` did not produce it. */
export function unframed(line: Buffer): unknown {
  if (line.length < frameLength || line[checksumLength] !== space) return undefined;
  const json = line.subarray(checksumLength + 1);
  if (line.toString('latin1', 0, checksumLength) !== checksumText(crc32(json))) return undefined;
  try {
    return JSON.parse(json.toString());
  } catch {
    return undefined;
  }
}

/** A CRC-32 as it is in a line. */
export function checksumText(checksum: number): string {
  return checksum.toString(16).padStart(checksumLength, '0');
}

function writeChecksum(line: Buffer, at: number, checksum: number): void {
  for (let digit = checksumLength - 1, rest = checksum; digit >= 0; digit--, rest >>>= 4)
    line[at + digit] = digits[rest & 15]!;
}
