import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/**
 * Options for address changes in event handlers: the change is rendered before the next event. If it were rendered later, the handler of
 * that event would compute its change from the former address and undo this one.
 */
export const changedAtOnce = { replace: true, flushSync: true } as const;

/** A list of values in the address, `tag=a&tag=b`, so that filters survive a reload and can be shared. */
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

/** One value in the address; the default one is omitted. */
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

/** Removes values from the address at once: of several changes in one turn the router would keep only the last. */
export function useClearQuery(...names: readonly string[]): () => void {
  const [, setQuery] = useSearchParams();
  return () =>
    setQuery((now) => {
      for (const name of names) now.delete(name);
      return now;
    }, changedAtOnce);
}
