/** A time as a person reads it: to the minute, in UTC. */
export function minuteOf(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

/** A text of several lines below the line that it belongs to. */
export function indented(text: string): string {
  return text.replace(/^/gm, '    ');
}
