import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** CPU time of a process, with threads that have ended, and of its children that have ended, in steps of 10 ms. Linux only. */
export function processSeconds(pid: number | 'self'): { readonly own: number; readonly children: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Behind the name in brackets, which can have spaces: utime and stime are the 12th and 13th field, followed by those of the children.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const seconds = (at: number): number => (Number(fields[at]) + Number(fields[at + 1])) / ticksPerSecond;
  return { own: seconds(11), children: seconds(13) };
}
