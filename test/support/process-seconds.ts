import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

interface Seconds {
  readonly own: number;
  readonly children: number;
}

/** The fields of `/proc/<pid>/stat` behind the name in brackets, which can have spaces: the state is the first. */
function fieldsOf(pid: number | string): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** The 12th and 13th field are utime and stime, followed by those of the children. */
function secondsIn(fields: readonly string[]): Seconds {
  const seconds = (at: number): number => (Number(fields[at]) + Number(fields[at + 1])) / ticksPerSecond;
  return { own: seconds(11), children: seconds(13) };
}

/** CPU time of a process, with threads that have ended, and of its children that have ended, in steps of 10 ms. Linux only. */
export function processSeconds(pid: number | 'self'): Seconds {
  return secondsIn(fieldsOf(pid));
}

/** CPU time of all processes that this one has started, directly or not, whether they have ended or run. Linux only. */
export function descendantSeconds(): number {
  const found = new Map<string, { readonly parent: string; readonly seconds: number }>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = fieldsOf(pid);
      const { own, children } = secondsIn(fields);
      found.set(pid, { parent: fields[1]!, seconds: own + children });
    } catch {
      // It has ended since the list was read: its parent has its time.
    }
  }
  const self = `${process.pid}`;
  const isDescendant = (pid: string): boolean => {
    for (let at = found.get(pid)?.parent; at !== undefined; at = found.get(at)?.parent) if (at === self) return true;
    return false;
  };
  const running = [...found].filter(([pid]) => isDescendant(pid)).map(([, { seconds }]) => seconds);
  return running.reduce((sum, seconds) => sum + seconds, processSeconds('self').children);
}
