import { limits } from '../../base/limits.ts';

/**
 * Returns whether a change with these lists in its input takes long enough to run in slices: a smaller one takes less
 * time than a slice.
 */
export function isLarge(...lists: readonly (readonly unknown[] | undefined)[]): boolean {
  return lists.reduce((sum, list) => sum + (list?.length ?? 0), 0) >= limits.slicedChangeRecordsMin;
}
