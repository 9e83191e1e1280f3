/** The same items, from an iterator that has begun: it goes through what is there now, not what is there when it is read. */
export function begun<T>(iterator: Iterator<T, void>): Iterable<T> {
  let next = iterator.next();
  return {
    *[Symbol.iterator]() {
      for (; next.done !== true; next = iterator.next()) yield next.value;
    },
  };
}
