import type { Collection, Shape } from '../../record/collection.ts';
import { fileFields } from '../../record/assemble.ts';
import { hasLazyText } from '../../record/lazy-text.ts';
import { equal } from '../../record/plain.ts';
import type { FileState } from '../project/file-table.ts';

/** From this share of equal lines on, a file counts as a changed version of another one, as in git. */
export const similarityMin = 0.5;

/** The lines of a text or record: how often each occurs, and their length in total. */
export interface Lines {
  readonly counts: ReadonlyMap<string, number>;
  readonly characters: number;
  /** The id of another tool that the file has in common with others. */
  readonly sharedId?: string | undefined;
}

/** Fields that identify a record or date it: two files are not alike because of them. */
const identifying = new Set(['id', 'created_at', 'updated_at']);

/** The lines of a file's fields: those of texts, and one for each other value. Defaults are no content. */
export function linesOfFields({ shape }: Collection, fields: Readonly<Record<string, unknown>>): Lines {
  const counts = new Map<string, number>();
  let characters = 0;
  for (const line of contentOf(shape, fields)) {
    counts.set(line, (counts.get(line) ?? 0) + 1);
    characters += line.length;
  }
  return { counts, characters };
}

function* contentOf({ fields: known, body }: Shape, fields: Readonly<Record<string, unknown>>): Iterable<string> {
  const text = body === undefined ? undefined : fields[body];
  if (typeof text === 'string') yield* text.split('\n');
  for (const { name, absent } of known) {
    const value = fields[name];
    if (name === body || identifying.has(name) || value === undefined || equal(value, absent)) continue;
    yield `${name}: ${JSON.stringify(value)}`;
  }
}

/** The lines of a file as it was last read; undefined if its texts are not in memory. */
export function linesOfState(
  collection: Collection,
  { record, unstated = [], sharedId }: FileState,
): Lines | undefined {
  if (record === undefined || hasLazyText(record)) return undefined;
  const fields = fileFields(collection, record);
  for (const name of unstated) delete fields[name];
  return { ...linesOfFields(collection, fields), sharedId };
}

/** The share of equal lines by their length, from 0 to 1, of the longer text. Without lines, or with other ids: 0. */
export function similarity(a: Lines, b: Lines): number {
  if (a.sharedId !== b.sharedId) return 0;
  const longer = Math.max(a.characters, b.characters);
  if (longer === 0 || Math.min(a.characters, b.characters) < longer * similarityMin) return 0;
  const [few, many] = a.counts.size <= b.counts.size ? [a, b] : [b, a];
  let common = 0;
  for (const [line, count] of few.counts) common += line.length * Math.min(count, many.counts.get(line) ?? 0);
  return common / longer;
}
