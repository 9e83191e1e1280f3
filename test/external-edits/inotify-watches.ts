import { readdirSync, readFileSync } from 'node:fs';

/** The watches of this process, of all instances of inotify. */
export function inotifyWatches(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const descriptors = readdirSync('/proc/self/fdinfo').map((fd) => {
    try {
      return readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8');
    } catch {
      return '';
    }
  });
  return descriptors.join('').split('inotify wd:').length - 1;
}
