import { useCallback } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';
import { currentQuery, setOne } from './query-state.ts';

const member = 'task';

/**
 * The task that is open next to the view, stored in the address: the browser's back button closes it. The functions
 * stay the same as the address changes, so that no card and no row is drawn again for it.
 */
export function useOpenTask(): {
  readonly taskId: string | undefined;
  readonly open: (id: string) => void;
  /** Opens a task without moving the focus to it; in place of an open one, which Back then passes over. */
  readonly peek: (id: string) => void;
  /** True if the task was opened by `peek`. */
  readonly isPeeked: boolean;
  readonly close: () => void;
} {
  const [query] = useSearchParams();
  const navigate = useNavigate();
  const { state } = useLocation() as { readonly state: { readonly isPeeked?: boolean } | null };
  const open = useCallback((id: string) => void navigate(searchWith(id)), [navigate]);
  const peek = useCallback(
    (id: string) => void navigate(searchWith(id), { replace: currentQuery().has(member), state: { isPeeked: true } }),
    [navigate],
  );
  const close = useCallback(() => void navigate(searchWith(undefined)), [navigate]);
  return { taskId: query.get(member) ?? undefined, open, peek, isPeeked: state?.isPeeked === true, close };
}

/** The address's query with another open task, or without one. */
export function searchWith(id: string | undefined): string {
  const query = currentQuery();
  setOne(query, member, id);
  return `?${query.toString()}`;
}

/** The part of a query that determines how a view looks, without the open task. */
export function queryOfView(query: URLSearchParams): URLSearchParams {
  const own = new URLSearchParams(query);
  own.delete(member);
  return own;
}
