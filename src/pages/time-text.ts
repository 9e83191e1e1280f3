import { lazily } from '../base/lazily.ts';

const format = lazily(
  () => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }),
);

/** Formats an ISO time for people: `21 November 2026 at 11:05 UTC`. */
export function timeText(iso: string): string {
  return `${format().format(Date.parse(iso))} UTC`;
}
