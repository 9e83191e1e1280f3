import { useCallback } from 'react';
import type { NavigateOptions } from 'react-router';
import { useNavigate, useSearchParams } from 'react-router';

/** Changes the query of the address: `change` changes the query that it is passed. */
type ChangeQuery = (change: (query: URLSearchParams) => void, options?: NavigateOptions) => void;

/**
 * Options for address changes in event handlers: the change is rendered before the next event, so that no handler of that event sees the
 * former state.
 */
const changedAtOnce = { replace: true, flushSync: true } as const;

/**
 * The query of the address, and the function that changes it, which stays the same. A change begins with the query that the browser's
 * address has then, not with the rendered one: of two changes before a rendering, the router's own `setSearchParams` keeps only the last.
 */
export function useQuery(): readonly [URLSearchParams, ChangeQuery] {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const change = useCallback<ChangeQuery>(
    (change, options = changedAtOnce) => {
      const now = currentQuery();
      change(now);
      void navigate(`?${now.toString()}`, options);
    },
    [navigate],
  );
  return [query, change];
}

/** The query of the browser's address, which may be newer than the rendered one. */
export function currentQuery(): URLSearchParams {
  return new URLSearchParams(window.location.search);
}

/** Sets one value of a query; `undefined` removes it. */
export function setOne(query: URLSearchParams, name: string, value: string | undefined): void {
  if (value === undefined) query.delete(name);
  else query.set(name, value);
}

/** A list of values in the address, `tag=a&tag=b`, so that filters survive a reload and can be shared. */
export function useQueryList(name: string): readonly [readonly string[], (values: readonly string[]) => void] {
  const [query, change] = useQuery();
  const set = useCallback(
    (values: readonly string[]) =>
      change((now) => {
        now.delete(name);
        for (const value of values) now.append(name, value);
      }),
    [name, change],
  );
  return [query.getAll(name), set];
}

/** One value in the address; the default one is omitted. */
export function useQueryValue<V extends string>(name: string, standard: V): readonly [V, (value: V) => void] {
  const [query, change] = useQuery();
  const set = useCallback(
    (value: V) => change((now) => setOne(now, name, value === standard ? undefined : value)),
    [name, standard, change],
  );
  return [(query.get(name) as V | null) ?? standard, set];
}

/** Removes values from the address. */
export function useClearQuery(...names: readonly string[]): () => void {
  const [, change] = useQuery();
  return () =>
    change((now) => {
      for (const name of names) now.delete(name);
    });
}
