import type { Problem } from '../../record/read-transaction.ts';
import type { Disk } from '../disk/disk.ts';

/** What Node has in names for bytes that are not UTF-8. A name may also contain the character itself. */
export const replacement = '\ufffd';

/**
 * The problems of names in a directory that are not UTF-8: their files cannot be opened by the names that Node returns,
 * and are not read. `path` is the directory's as shown, with `/` at its end.
 */
export function invalidNames(disk: Disk, directory: string, path: string): readonly Problem[] {
  return disk.names(directory).flatMap((bytes) => {
    if (Buffer.from(bytes.toString()).equals(bytes)) return [];
    return [
      {
        path: `${path}${shown(bytes)}`,
        kind: 'invalid_name',
        reason: 'The name is not UTF-8, so what it names is not read.',
        remedy: 'Rename it.',
      },
    ];
  });
}

/** A name with `\xe9` for each byte that is not UTF-8. */
function shown(bytes: Buffer): string {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const lead = bytes[at]!;
    const length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    try {
      text += decoder.decode(bytes.subarray(at, at + length));
      at += length;
    } catch {
      text += `\\x${lead.toString(16)}`;
      at++;
    }
  }
  return text;
}
