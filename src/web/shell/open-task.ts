import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

const member = 'task';

/** The task that is open beside the view, stored in the address: the browser's back button closes it. */
export function useOpenTask(): {
  readonly taskId: string | undefined;
  readonly open: (id: string) => void;
  readonly close: () => void;
} {
  const [query, setQuery] = useSearchParams();
  const open = useCallback(
    (id: string) =>
      setQuery((now) => {
        now.set(member, id);
        return now;
      }),
    [setQuery],
  );
  const close = useCallback(
    () =>
      setQuery((now) => {
        now.delete(member);
        return now;
      }),
    [setQuery],
  );
  return { taskId: query.get(member) ?? undefined, open, close };
}
