/** The index of the first item that is `behind`, of items in order: those after it are, too. Their number if none is. */
export function firstWhere<T>(items: readonly T[], isBehind: (item: T) => boolean): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(items[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
