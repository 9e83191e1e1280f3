import { LRUCache } from 'lru-cache';

export interface Rendered {
  readonly output: unknown;
  /** Milliseconds of the clock; Infinity if it does not expire. */
  readonly expiresAt: number;
}

/** Rendered texts by the hash of their source. An output that would take more than a quarter of the cache is not kept. */
export function renderCache(bytesMax: number): LRUCache<string, Rendered> {
  return new LRUCache({
    maxSize: bytesMax,
    maxEntrySize: bytesMax / 4,
    sizeCalculation: ({ output }) => bytesOf(output),
  });
}

/** The approximate size of an output in memory: a string has two bytes per character only if one of them needs two. */
function bytesOf(output: unknown): number {
  const overhead = 200;
  if (typeof output === 'string') return overhead + (/[^\0-\xFF]/.test(output) ? 2 : 1) * output.length;
  return Object.values(output ?? {}).reduce<number>((sum, member) => sum + bytesOf(member), overhead);
}
