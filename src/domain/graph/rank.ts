/** The digits of ranks, in the order of their codes: ranks are compared as texts. */
const digits = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const base = BigInt(digits.length);

/** The digits of a time in milliseconds: `20261129010203456`. */
const timeDigits = 17;

/** A new rank has at most so many digits; one in a file may have more. */
export const rankDigitsMax = 64;

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
