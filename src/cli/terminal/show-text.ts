import type { DiffStat } from '../../schema/types.ts';

/** A time as a person reads it: to the minute, in UTC. */
export function minuteOf(time: string): string {
  return time.slice(0, 16).replace('T', ' ');
}

/** A text of several lines below the line that it belongs to. */
export function indented(text: string): string {
  return text.replace(/^/gm, '    ');
}

/** `1 task`, `2 tasks`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `2 files, +12 −3`. */
export function diffStatText({ files, insertions, deletions }: DiffStat): string {
  return `${counted(files, 'file')}, +${insertions} −${deletions}`;
}
