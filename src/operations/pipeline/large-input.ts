/** A change of at least this many records runs in slices. A smaller one takes less time than a slice. */
const recordsMin = 200;

/** Whether a change with these lists in its input takes long enough to run in slices. */
export function isLarge(...lists: readonly (readonly unknown[] | undefined)[]): boolean {
  return lists.reduce((sum, list) => sum + (list?.length ?? 0), 0) >= recordsMin;
}
