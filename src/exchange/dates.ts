import { isoTime } from '../base/clock.ts';

/** A date as a tool writes it. `name`: its column or member; all dates of one name are written in one form. */
export interface Dated {
  readonly name: string;
  readonly text: string | undefined;
}

interface Parts {
  /** Three numbers of a day; the order of the first two is not known if `isOrdered` is false. */
  readonly numbers: readonly [number, number, number];
  readonly isOrdered: boolean;
  /** From the midnight of UTC that the day begins with. */
  readonly clockMs: number;
}

const clock =
  /^(?:(?:T|[\s,]+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:\s*([ap])\.?m\.?)?(?:\s*(Z|(?:UTC|GMT)?[+-]\d{2}(?::?\d{2})?|UTC|GMT))?(?:\s*\(.*\))?)?$/i;
const yearFirst = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})/;
const numbersOnly = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/;
const dayBeforeName = /^(?:\p{L}+\.?,?\s+)?(\d{1,2})(?:st|nd|rd|th)?[-/.\s]+(\p{L}+)\.?,?[-/\s]+(\d{4}|\d{2})(?!\d)/u;
const dayAfterName = /^(?:\p{L}+\.?,?\s+)?(\p{L}+)\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(\d{4})(?!\d)/u;

/** Reads everything but the order of day and month; undefined for a text that is no date. */
function partsOf(text: string): Parts | undefined {
  const dateOf = (): [RegExpExecArray, readonly [number, number, number], boolean] | undefined => {
    let found = yearFirst.exec(text);
    if (found !== null) return [found, [Number(found[4]), Number(found[3]), Number(found[1])], true];
    found = numbersOnly.exec(text);
    if (found !== null) return [found, [Number(found[1]), Number(found[3]), yearOf(found[4]!)], false];
    found = dayBeforeName.exec(text);
    if (found !== null) return [found, [Number(found[1]), monthOf(found[2]!), yearOf(found[3]!)], true];
    found = dayAfterName.exec(text);
    return found === null ? undefined : [found, [Number(found[2]), monthOf(found[1]!), Number(found[3])], true];
  };
  const date = dateOf();
  if (date === undefined) return undefined;
  const [[matched], numbers, isOrdered] = date;
  const clockMs = clockMsOf(text.slice(matched.length));
  return clockMs === undefined ? undefined : { numbers, isOrdered, clockMs };
}

/**
 * The time of day in UTC; a time without a zone counts as UTC. Undefined for other texts, and for a zone that is only
 * named.
 */
function clockMsOf(text: string): number | undefined {
  const [all, hour = '0', minute = '0', second = '0', fraction = '0', half, zone] = clock.exec(text) ?? [];
  if (all === undefined) return undefined;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/p/i.test(half) ? 12 : 0);
  if (hours > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  const seconds = (hours * 60 + Number(minute) - zoneMinutes(zone)) * 60 + Number(second);
  return seconds * 1000 + Number(fraction.slice(0, 3).padEnd(3, '0'));
}

function zoneMinutes(zone = ''): number {
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

function yearOf(digits: string): number {
  const year = Number(digits);
  return digits.length > 2 ? year : year + (year < 70 ? 2000 : 1900);
}

/** The languages in which tools write the names of months. */
const languages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'cs', 'sv', 'da', 'nb', 'fi', 'ru'];
let months: ReadonlyMap<string, number> | undefined;

/** The number of a month; 0 for another word, and for one that is a different month in another language. */
function monthOf(name: string): number {
  months ??= monthNames();
  return months.get(name.toLowerCase()) ?? 0;
}

function monthNames(): ReadonlyMap<string, number> {
  const names = new Map<string, number>([['sept', 9]]);
  const forms = (['long', 'short'] as const).flatMap((month) => [{ month }, { month, day: 'numeric' } as const]);
  const formats = languages.flatMap((language) =>
    forms.map((form) => new Intl.DateTimeFormat(language, { ...form, timeZone: 'UTC' })),
  );
  for (const format of formats) {
    for (let number = 1; number <= 12; number++) {
      const parts = format.formatToParts(Date.UTC(2026, number - 1, 1));
      const name = parts
        .find(({ type }) => type === 'month')!
        .value.toLowerCase()
        .replace(/\.$/, '');
      if (/^\p{L}+$/u.test(name)) names.set(name, [number, undefined].includes(names.get(name)) ? number : 0);
    }
  }
  return names;
}

/** The time in ISO 8601; undefined for a day that no month has. */
function timeAt(day: number, month: number, year: number, clockMs: number): string | undefined {
  const midnight = new Date(Date.UTC(year, month - 1, day));
  const isDay = midnight.getUTCMonth() === month - 1 && midnight.getUTCDate() === day && month > 0;
  return isDay ? isoTime(midnight.getTime() + clockMs) : undefined;
}

/**
 * Normalises a time; without a zone it counts as UTC. Undefined for other texts, and if the time depends on the order
 * of day and month.
 */
export function timeOf(text: string | undefined): string | undefined {
  return new DateColumns().read({ name: '', text });
}

/** Returns whether a text is a date, in whichever order its numbers are. */
export function isDate(text: string | undefined): boolean {
  return text !== undefined && partsOf(text.trim()) !== undefined;
}

/**
 * The dates of a plan by the name of their column. A date that begins with two numbers is read if one date of its column has a number above
 * 12: that is the day, and no date of the column says otherwise. Add all dates before the first is read.
 */
export class DateColumns {
  /** By column: `first` is true if one of its dates must have the day first, `second` if one must have it second. */
  readonly #columns = new Map<string, { first: boolean; second: boolean }>();

  add({ name, text = '' }: Dated): void {
    const parts = partsOf(text.trim());
    if (parts === undefined || parts.isOrdered) return;
    const column = this.#columns.get(name) ?? { first: false, second: false };
    this.#columns.set(name, column);
    const [first, second] = parts.numbers;
    if (first > 12 && second <= 12) column.first = true;
    if (second > 12 && first <= 12) column.second = true;
  }

  read({ name, text = '' }: Dated): string | undefined {
    const parts = partsOf(text.trim());
    if (parts === undefined) return undefined;
    const { numbers, isOrdered, clockMs } = parts;
    const [first, second, year] = numbers;
    const column = this.#columns.get(name);
    if (isOrdered || first === second || (column?.first === true && !column.second))
      return timeAt(first, second, year, clockMs);
    return column?.second === true && !column.first ? timeAt(second, first, year, clockMs) : undefined;
  }
}
