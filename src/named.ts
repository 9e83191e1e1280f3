import { isIdPrefix } from './ids.ts';

/** What people refer to by its id or name. */
export interface Named {
  readonly id: string;
  readonly name: string | null;
  /** Former names. */
  readonly aliases?: readonly string[];
}

/**
 * The records that a text means, by the first rule that finds any: the id; the beginning of an id, its type and at least four characters; the
 * name; the name in another letter case; a former name.
 */
export function meantBy<T extends Named>(records: readonly T[], text: string): readonly T[] {
  const given = folded(text);
  const rules: ((record: T) => boolean)[] = [
    ({ id }) => id === text,
    ...(isIdPrefix(text) ? [({ id }: T) => id.startsWith(text)] : []),
    ({ name }) => name === text,
    ({ name }) => name !== null && folded(name) === given,
    ({ aliases = [] }) => aliases.some((alias) => folded(alias) === given),
  ];
  for (const rule of rules) {
    const found = records.filter(rule);
    if (found.length > 0) return found;
  }
  return [];
}

/** File systems and keyboards compose accents differently. */
function folded(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}

/** Matches that a message lists; the others are counted. */
const listedMax = 20;

/** Records as a message lists them: `tsk_… (Take payments), tsk_… (Send invoices) and 3 more`. */
export function listNamed(records: readonly Named[]): string {
  const shown = records.slice(0, listedMax).map(({ id, name }) => (name === null ? id : `${id} (${name})`));
  const more = records.length - shown.length;
  return `${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
