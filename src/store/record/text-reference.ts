import { hash } from 'node:crypto';
import { limits } from '../../base/limits.ts';
import { hasLazyText, lazyText, type TextSource, type Unread, withLazyTexts } from './lazy-text.ts';
import { freeze } from './plain.ts';

/** The reference in an entry or a snapshot to a text that is stored with it. */
interface TextReference {
  readonly $text: string;
  readonly characters: number;
  readonly start: string;
}

/** As much of a text is known without reading it. A record without a title is listed by the beginning of its text. */
const startCharacters = 128;

/** Returns whether a value is a text that is stored outside of its record. Not if its UTF-8 form is another text. */
export function isLarge(value: unknown): value is string {
  // A text of n characters has at most 3n bytes: shorter texts need no byte count.
  if (typeof value !== 'string' || value.length * 3 <= limits.residentTextBytesMax) return false;
  return Buffer.byteLength(value) > limits.residentTextBytesMax && value.isWellFormed();
}

/** The known properties of a text that is stored outside of its record from now on. */
export function unreadOf(text: string): Required<Unread> {
  return {
    sha256: hash('sha256', text, 'hex'),
    characters: text.length,
    start: ownCopyOf(text.slice(0, startCharacters)),
  };
}

/** A part of a text refers to the whole text, which would stay in memory. Half a surrogate pair stays as it is. */
function ownCopyOf(part: string): string {
  return Buffer.from(part, 'utf16le').toString('utf16le');
}

/** A record, or some of its fields, as JSON contains it: with references for lazy texts. The same object without any. */
export function withReferences<R extends object>(record: R): R {
  if (!hasLazyText(record)) return record;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(record)) {
    const unread = lazyText(record, key);
    copy[key] = unread === undefined ? record[key as keyof R] : referenceTo(unread);
  }
  return copy as R;
}

function referenceTo({ sha256, characters = 0, start = '' }: Unread): TextReference {
  return { $text: sha256, characters, start };
}

/**
 * The inverse for parsed JSON: a frozen record with lazy texts in place of references. Only in the fields that are
 * texts, because a caller may have put an object of this shape elsewhere. Returns the same object without references.
 */
export function fromReferences<R extends object>(record: R, texts: readonly string[], source: TextSource): R {
  let found: Map<string, Unread> | undefined;
  for (const field of texts) {
    const value = (record as Readonly<Record<string, unknown>>)[field];
    if (typeof value !== 'object' || value === null) continue;
    const { $text: sha256, characters, start } = value as TextReference;
    (found ??= new Map<string, Unread>()).set(field, { sha256, characters, start });
  }
  if (found === undefined) return record;
  for (const value of Object.values(record)) freeze(value);
  return withLazyTexts(record, found, source);
}
