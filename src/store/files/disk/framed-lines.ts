import { crc32 } from 'node:zlib';

const checksumLength = 8;

/** One line: 8 hexadecimal digits of the CRC-32 of the JSON, a space, the JSON, LF. */
export function framed(json: string): string {
  return `${checksumOf(json)} ${json}\n`;
}

/** The value of one line without its LF, or undefined if `framed` did not produce it. */
export function unframed(line: Buffer): unknown {
  if (line.length < checksumLength + 2 || line[checksumLength] !== 0x20) return undefined;
  const json = line.subarray(checksumLength + 1);
  if (line.toString('latin1', 0, checksumLength) !== checksumOf(json)) return undefined;
  try {
    return JSON.parse(json.toString());
  } catch {
    return undefined;
  }
}

function checksumOf(json: string | Buffer): string {
  return checksumText(crc32(json));
}

/** A CRC-32 as it is in a line. */
export function checksumText(checksum: number): string {
  return checksum.toString(16).padStart(checksumLength, '0');
}
