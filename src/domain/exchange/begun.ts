/**
 * An iterable of an iterator that is already started: it iterates over the current state, not over the state at the
 * time of reading.
 */
export function begun<T>(iterator: Iterator<T, void>): Iterable<T> {
  let next = iterator.next();
  return {
    *[Symbol.iterator]() {
      for (; next.done !== true; next = iterator.next()) yield next.value;
    },
  };
}
