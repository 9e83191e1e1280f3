import type { Layout } from './layout.ts';

/** A part of the front matter that is not read: it stays in the file. The offset counts from the beginning of the text. */
export interface Finding {
  readonly offset: number;
  readonly reason: string;
  /** The field, or the unknown key, whose value is ignored; undefined if all of the front matter is text. */
  readonly key: string | undefined;
  /** The value is a term of other tools, and is served as ours. */
  readonly isTerm?: true;
}

/** Keys of other tools that differ from one of ours by a letter and mean something else. */
const keysOfOthers = new Set(['labels', 'link', 'lang', 'site']);

/** A shorter key is like too many others. */
const charactersMin = 4;
/** From this length on, two letters may differ. */
const longFrom = 8;

/** The hint for an unknown key that is like a known one, which the file does not have; undefined for any other key. */
export function hintOf({ fields }: Layout, present: readonly string[], key: string): string | undefined {
  const known = fields.flatMap(({ name, alias }) => (alias === undefined ? [name] : [name, alias]));
  return hintAmong(known, present, key);
}

/** The hint for a key of a file that has no records. */
export function hintAmong(known: readonly string[], present: readonly string[], key: string): string | undefined {
  const given = folded(key);
  if (given.length < charactersMin || keysOfOthers.has(given)) return undefined;
  const most = given.length < longFrom ? 1 : 2;
  const [nearest] = known
    .filter((name) => !present.includes(name))
    .map((name) => ({ name, distance: distanceOf(given, folded(name)) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return nearest && `${key} is unknown; did you mean ${nearest.name}?`;
}

function folded(key: string): string {
  return key.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

/** The number of letters to insert, remove or replace, or of neighbours to exchange, that make one word of another. */
function distanceOf(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = Number(a[i - 1] !== b[j - 1]);
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + cost);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1);
    }
    rows.push(row);
  }
  return rows.at(-1)!.at(-1)!;
}
