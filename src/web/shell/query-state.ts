import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/**
 * How handlers of events change the address: it is rendered before the next event. Rendered later, the handler of that event would compute its
 * change from the former address, and so undo this one.
 */
export const changedAtOnce = { replace: true, flushSync: true } as const;

/** A list of values in the address, `tag=a&tag=b`, so that what is filtered survives a reload and can be sent to somebody. */
export function useQueryList(name: string): readonly [readonly string[], (values: readonly string[]) => void] {
  const [query, setQuery] = useSearchParams();
  const set = useCallback(
    (values: readonly string[]) =>
      setQuery((now) => {
        now.delete(name);
        for (const value of values) now.append(name, value);
        return now;
      }, changedAtOnce),
    [name, setQuery],
  );
  return [query.getAll(name), set];
}

/** One value in the address; the standard one does not stand there. */
export function useQueryValue<V extends string>(name: string, standard: V): readonly [V, (value: V) => void] {
  const [query, setQuery] = useSearchParams();
  const set = useCallback(
    (value: V) =>
      setQuery((now) => {
        if (value === standard) now.delete(name);
        else now.set(name, value);
        return now;
      }, changedAtOnce),
    [name, standard, setQuery],
  );
  return [(query.get(name) as V | null) ?? standard, set];
}

/** Takes values out of the address, all at once: of several changes in one moment the router would keep the last. */
export function useClearQuery(...names: readonly string[]): () => void {
  const [, setQuery] = useSearchParams();
  return () =>
    setQuery((now) => {
      for (const name of names) now.delete(name);
      return now;
    }, changedAtOnce);
}
