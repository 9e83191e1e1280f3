import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { localDay } from '../../base/day-words.ts';

const steps = [
  ['year', 365 * 24 * 3600],
  ['month', 30 * 24 * 3600],
  ['week', 7 * 24 * 3600],
  ['day', 24 * 3600],
  ['hour', 3600],
  ['minute', 60],
] as const;

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', year: 'numeric', timeZone: 'UTC' });

/** A relative time: `5 min. ago`. */
export function ago(time: string, now: number): string {
  const seconds = (Date.parse(time) - now) / 1000;
  for (const [unit, length] of steps)
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  return 'just now';
}

/** The time now, again after each interval. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}

export function Ago({ time }: { readonly time: string }): ReactElement {
  const now = useNow(30_000);
  return (
    <time dateTime={time} title={absolute.format(new Date(time))}>
      {ago(time, now)}
    </time>
  );
}

/** A day without an hour: `Mar 4, 2026`. */
export function dayText(date: string): string {
  return day.format(new Date(`${date.slice(0, 10)}T00:00:00Z`));
}

/** A day, by default today, in the format of due dates. */
export const today = (now = new Date()): string => localDay(now);

/** A timer for a longer time fires immediately. */
const waitMsMax = 86_400_000;

/** The time now, again when `until` is reached. */
export function useNowAt(until: string | null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const ms = until === null ? Number.NaN : Date.parse(until) - Date.now();
    if (!(ms > 0 && ms < waitMsMax)) return;
    const timer = setTimeout(() => setNow(Date.now()), ms);
    return () => clearTimeout(timer);
  }, [until]);
  return Math.max(now, Date.now());
}
