/**
 * Makes a value when it is first asked for. The first format or segmenter of `Intl` in a process takes longer than all
 * else in the start of a command.
 */
export function lazily<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
