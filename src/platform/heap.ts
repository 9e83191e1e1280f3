import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';
import { limits } from '../base/limits.ts';

/**
 * Limits the memory that V8 uses beyond live objects. By default the heap grows to four times the live objects before a
 * collection, and the young generation to 128 MiB: sizes for a program that has the machine to itself. Affects this
 * process only; call it once.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${limits.heapGrowthPercent}`);
  let growing = true;
  // Changing --max-semi-space-size has no effect on a running process; the growth factor has, since V8 reads it before
  // each growth.
  new PerformanceObserver(() => {
    const isBelow = youngBytes() < limits.youngGenerationBytesMax;
    if (isBelow === growing) return;
    growing = isBelow;
    setFlagsFromString(`--semi-space-growth-factor=${growing ? 2 : 1}`);
  }).observe({ entryTypes: ['gc'] });
}

/** How many bytes the heap of this thread may still grow by. */
export function heapBytesFree(): number {
  const { heap_size_limit: most, used_heap_size: used } = getHeapStatistics();
  return most - used;
}

/** The size of the young generation, used or not. */
function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
