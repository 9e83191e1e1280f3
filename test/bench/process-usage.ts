import { readdirSync, readFileSync } from 'node:fs';
import { until } from './files.ts';

/** Resident memory of a process in bytes, current and peak. Linux only. */
export function residentBytes(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
  return { now: field('VmRSS'), peak: field('VmHWM') };
}

/** CPU time of a process's main thread, in milliseconds: the cost of requests without background threads. */
export function mainThreadMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** Time that a process's main thread was runnable and waited for a CPU, in milliseconds: taken by other programs. */
export function mainThreadQueuedMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

/** CPU time of the threads that a process has now, in milliseconds. It decreases when a thread ends. */
export function processorMs(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]);
    } catch {
      // The thread ended after the directory was read.
    }
  }
  return nanoseconds / 1e6;
}

/** Bytes that a process has written since it started: to files and to sockets. */
export function writtenBytes(pid: number): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}

/** Samples a process's memory until stopped. Returns the peak in bytes. */
export function watchMemory(pid: number, everyMs = 100): { readonly stop: () => number } {
  let highest = residentBytes(pid).now;
  const timer = setInterval(() => {
    try {
      highest = Math.max(highest, residentBytes(pid).now);
    } catch {
      clearInterval(timer);
    }
  }, everyMs);
  return {
    stop: () => {
      clearInterval(timer);
      return highest;
    },
  };
}

/**
 * Waits until a process is idle: all its writes are done.
 * @param usesMs The time that an idle process uses in half a second: a node asks its database all the time.
 */
export async function atRest(pid: number, usesMs = 5): Promise<void> {
  // The first sample has nothing to compare with.
  let before = -Infinity;
  await until(
    () => {
      const now = processorMs(pid);
      const idle = now - before < usesMs;
      before = now;
      return idle;
    },
    'the service to come to rest',
    500,
  );
}
