import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { limits } from '../limits.ts';

/**
 * Bounds what V8 takes beyond the objects that are alive. By default it lets the heap grow to four times those before it collects, and the
 * young generation to 128 MiB: sizes chosen for a program that has the machine to itself. Of this process only; call it once.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${limits.heapGrowthPercent}`);
  let growing = true;
  // A change of --max-semi-space-size has no effect on a running process, its growth factor has: V8 asks for it before each growth.
  new PerformanceObserver(() => {
    const isBelow = youngBytes() < limits.youngGenerationBytesMax;
    if (isBelow === growing) return;
    growing = isBelow;
    setFlagsFromString(`--semi-space-growth-factor=${growing ? 2 : 1}`);
  }).observe({ entryTypes: ['gc'] });
}

/** What the young generation takes, used or not. */
function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
