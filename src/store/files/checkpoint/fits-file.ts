import { PlannerError } from '../../../base/errors.ts';
import { limits } from '../../../base/limits.ts';
import { fileFields } from '../../record/assemble.ts';
import { TooLargeForFile } from '../codec/markdown.ts';
import type { Collection } from '../../record/collection.ts';
import { encodeFields } from './render.ts';
import { membersOf, type StoredRecord } from '../../record/record.ts';

/** An escaped character takes six bytes at most. */
const bytesPerCharacter = 6;
/** The bytes for keys, dashes, ids and braces around one item or value. */
const bytesAround = 200;

/**
 * Throws `payload_too_large` for a record whose front matter exceeds what any file may have: otherwise it would be
 * acknowledged and stay dirty forever. Checks the fields' lengths; only a record that may be too large is encoded.
 */
export function requireFits(collection: Collection, code: string, record: StoredRecord): void {
  const { shape } = collection;
  if (shape.format === 'json') return;
  const members = membersOf(record);
  let bytes = 0;
  for (const { name } of shape.fields) bytes += roughBytes(members[name]);
  if (bytes <= limits.canonicalFrontMatterBytesMax) return;
  const fields = fileFields(collection, record);
  if (shape.body !== undefined) fields[shape.body] = '';
  try {
    encodeFields(shape, code, record.id, fields);
  } catch (error) {
    if (!(error instanceof TooLargeForFile)) throw error;
    throw new PlannerError(
      'payload_too_large',
      `The ${collection.name} ${record.id} cannot be kept: ${error.message} Shorten its fields or remove links.`,
      { bytes_max: limits.canonicalFrontMatterBytesMax, id: record.id },
    );
  }
}

/** An upper bound of a value's encoded size. */
function roughBytes(value: unknown): number {
  if (typeof value === 'string') return value.length * bytesPerCharacter + bytesAround;
  if (typeof value !== 'object' || value === null) return bytesAround;
  let bytes = bytesAround;
  for (const member of Object.values(value)) bytes += roughBytes(member);
  return bytes;
}
