const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const months = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];
/** As in `fri` and `mar`. */
const lettersMin = 3;

/** The day that words like `fri`, `in 2 weeks`, `4 mar` or a date name, seen from `today`; undefined if they name none. */
export function dayOf(words: string, today: string): string | undefined {
  const text = words
    .trim()
    .toLowerCase()
    .replaceAll(/[\s,]+/g, ' ');
  const from = new Date(`${today}T00:00:00Z`);
  const day =
    named(text, from) ?? fromNow(text, from) ?? weekday(text, from) ?? ofMonth(text, from) ?? (isDay(text) && text);
  if (!day) return undefined;
  return typeof day === 'string' ? day : day.toISOString().slice(0, 10);
}

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function plusDays(from: Date, days: number): Date {
  return new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate() + days));
}

/** The same day of a later month, or its last day: never a day of the month after. */
function plusMonths(from: Date, count: number): Date {
  const month = from.getUTCMonth() + count;
  const last = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate();
  return new Date(Date.UTC(from.getUTCFullYear(), month, Math.min(from.getUTCDate(), last)));
}

/** The days until a weekday: a week, if that is today. */
function daysUntil(from: Date, to: number): number {
  return ((to - from.getUTCDay() + 6) % 7) + 1;
}

function named(text: string, from: Date): Date | undefined {
  switch (text) {
    case 'today':
      return from;
    case 'tomorrow':
      return plusDays(from, 1);
    case 'yesterday':
      return plusDays(from, -1);
    case 'next week':
      return plusDays(from, daysUntil(from, 1));
    case 'next month':
      return new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 1));
    case 'end of month':
      return new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 0));
    default:
      return undefined;
  }
}

/** `in 2 weeks`, `3 days`, `2w`, `7 days ago`. */
function fromNow(text: string, from: Date): Date | undefined {
  const [, number, unit, past] =
    /^(?:in )?(an?|\d{1,3}) ?([dwmy])(?:ays?|eeks?|onths?|ears?)?( ago)?$/.exec(text) ?? [];
  if (number === undefined) return undefined;
  const count = (number.startsWith('a') ? 1 : Number(number)) * (past === undefined ? 1 : -1);
  if (unit === 'd' || unit === 'w') return plusDays(from, count * (unit === 'w' ? 7 : 1));
  return plusMonths(from, count * (unit === 'y' ? 12 : 1));
}

function beginning(names: readonly string[], start: string): number {
  return start.length < lettersMin ? -1 : names.findIndex((name) => name.startsWith(start));
}

/** `fri` is the next Friday after today, `next fri` the Friday of the week that begins next Monday. */
function weekday(text: string, from: Date): Date | undefined {
  const isNext = text.startsWith('next ');
  const at = beginning(weekdays, isNext ? text.slice('next '.length) : text);
  if (at < 0) return undefined;
  if (!isNext) return plusDays(from, daysUntil(from, at));
  return plusDays(from, daysUntil(from, 1) + ((at + 6) % 7));
}

/** `4 mar`, `March 4th 2027`; without a year it is the next one, today included. */
function ofMonth(text: string, from: Date): string | undefined {
  const [, before, name = '', after, given] =
    /^(?:(\d{1,2})(?:st|nd|rd|th)?\.? )?([a-z]+)\.?(?: (\d{1,2})(?:st|nd|rd|th)?)?(?: (\d{4}))?$/.exec(text) ?? [];
  const month = beginning(months, name);
  const number = before ?? after;
  if (month < 0 || number === undefined || (before !== undefined && after !== undefined)) return undefined;
  const of = (year: number): string => `${year}-${String(month + 1).padStart(2, '0')}-${number.padStart(2, '0')}`;
  const year = from.getUTCFullYear();
  const day = given === undefined ? of(year) : of(Number(given));
  const next = given === undefined && day < from.toISOString().slice(0, 10) ? of(year + 1) : day;
  return isDay(next) ? next : undefined;
}

/** The day of a time where the program runs, in the format of due dates. */
export function localDay(time: Date): string {
  return `${time.getFullYear()}-${String(time.getMonth() + 1).padStart(2, '0')}-${String(time.getDate()).padStart(2, '0')}`;
}
