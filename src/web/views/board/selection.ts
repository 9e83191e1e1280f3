import { useCallback, useMemo, useState } from 'react';
import type { Entry } from './groups.ts';

export interface CardSelection {
  readonly ids: ReadonlySet<string>;
  /** Selects a card, or no more; with `range` all from the last one to it in its column. */
  readonly select: (id: string, range?: boolean) => void;
  readonly clear: () => void;
}

const nothing: { readonly ids: ReadonlySet<string>; readonly last?: string } = { ids: new Set() };

/** The selected cards. Cards that a filter hides are not selected, so that nothing invisible is moved. */
export function useCardSelection(columns: readonly { readonly entries: readonly Entry[] }[]): CardSelection {
  const [kept, setKept] = useState(nothing);
  const lists = useMemo(
    () => columns.map(({ entries }) => entries.flatMap((entry) => (entry.kind === 'task' ? [entry.task.id] : []))),
    [columns],
  );
  const select = useCallback(
    (id: string, range = false) =>
      setKept(({ ids, last }) => {
        const next = new Set(ids);
        const list = lists.find((each) => each.includes(id)) ?? [];
        const from = range && last !== undefined ? list.indexOf(last) : -1;
        const to = list.indexOf(id);
        if (from >= 0) for (const each of list.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(each);
        else if (!next.delete(id)) next.add(id);
        return { ids: next, last: id };
      }),
    [lists],
  );
  const clear = useCallback(() => setKept(nothing), []);
  const ids = useMemo(() => {
    const shown = new Set(lists.flat());
    const seen = [...kept.ids].filter((id) => shown.has(id));
    return seen.length === kept.ids.size ? kept.ids : new Set(seen);
  }, [kept.ids, lists]);
  return useMemo(() => ({ ids, select, clear }), [ids, select, clear]);
}
