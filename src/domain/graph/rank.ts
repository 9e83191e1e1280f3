/** The digits of ranks, in the order of their codes: ranks are compared as texts. */
const digits = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const base = BigInt(digits.length);

/** The digits of a time in milliseconds: `20261129010203456`. */
const timeDigits = 17;

/** A new rank has at most so many digits; one in a file may have more. */
export const rankDigitsMax = 64;

/**
 * The place in the order by hand of a task without a rank, as a rank: the digits of its created_at, and its id. So of tasks that were never
 * moved none needs a rank, and a task that is moved between two of them needs one alone.
 */
export function rankOfAge({ created_at: at, id }: { readonly created_at: string; readonly id: string }): string {
  return `${timeIn(at)}${/^\w+$/.test(id) ? id : id.replaceAll(/\W/g, '')}`;
}

/** Every list shows it of every task, nearly always in this form: slices take a third of the time. */
function timeIn(at: string): string {
  if (at.length !== '2026-11-29T01:02:03.456Z'.length) return at.replaceAll(/\D/g, '');
  const [date, time] = [at.slice(0, 4) + at.slice(5, 7) + at.slice(8, 10), at.slice(11, 13) + at.slice(14, 16)];
  return date + time + at.slice(17, 19) + at.slice(20, 23);
}

/**
 * `count` ranks in order behind `before` and ahead of `after`, each undefined at an end of the order. Between two they are as short as they
 * fit, and evenly spaced; at an end they are close to it, so that the ends do not run out. Undefined if they would be longer
 * than `digitsMax`.
 */
export function ranksBetween(
  before: string | undefined,
  after: string | undefined,
  count: number,
  digitsMax = rankDigitsMax,
): readonly string[] | undefined {
  const isEnd = before === undefined || after === undefined;
  for (let length = isEnd ? timeDigits : 1; length <= digitsMax; length++) {
    const low = valueOf(before ?? '', length);
    const high = after === undefined ? base ** BigInt(length) : valueOf(after, length);
    if (high - low <= BigInt(count)) continue;
    const valueAt = (place: number): bigint => {
      if (after === undefined) return low + BigInt(place);
      if (before === undefined) return high - BigInt(count + 1 - place);
      return low + ((high - low) * BigInt(place)) / BigInt(count + 1);
    };
    // A rank that ended with a zero would leave no room ahead of it.
    return Array.from({ length: count }, (_, at) => digitsOf(valueAt(at + 1), length).replace(/-+$/, ''));
  }
  return undefined;
}

/** The number that the first digits of a rank mean; missing ones are zeros. */
function valueOf(rank: string, length: number): bigint {
  let value = 0n;
  for (let at = 0; at < length; at++) value = value * base + BigInt(at < rank.length ? digits.indexOf(rank[at]!) : 0);
  return value;
}

function digitsOf(value: bigint, length: number): string {
  let text = '';
  for (let left = value; text.length < length; left /= base) text = `${digits[Number(left % base)]}${text}`;
  return text;
}
