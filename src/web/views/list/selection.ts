import { useCallback, useMemo, useState } from 'react';
import type { Line } from './groups.ts';

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Toggles one line; with `range`, selects all lines between the last one and it. */
  readonly toggle: (at: number, range?: boolean) => void;
  /** Selects the lines from the start of the range to another line, and deselects the rest of the former range. */
  readonly extend: (from: number, to: number) => void;
  readonly setMany: (ids: Iterable<string>, on: boolean) => void;
  readonly clear: () => void;
}

const idAt = (lines: readonly Line[], at: number): string | undefined => {
  const line = lines[at];
  return line?.kind === 'task' ? line.row.task.id : undefined;
};

function between(lines: readonly Line[], a: number, b: number): readonly string[] {
  const ids: string[] = [];
  for (let at = Math.min(a, b); at <= Math.max(a, b); at++) {
    const id = idAt(lines, at);
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

interface Kept {
  readonly ids: ReadonlySet<string>;
  /** The key of the line at which a range begins: lines move when tasks change. */
  readonly anchor: string | undefined;
  /** The lines selected by the current range. */
  readonly ranged: readonly string[];
}

const nothing: Kept = { ids: new Set(), anchor: undefined, ranged: [] };

/** The selected tasks. Tasks that are no longer shown are not selected, so that nothing invisible is changed. */
export function useSelection(lines: readonly Line[], shown: ReadonlySet<string>): Selection {
  const [kept, setKept] = useState<Kept>(nothing);
  const toggle = useCallback(
    (at: number, range = false) =>
      setKept(({ ids, anchor }) => {
        const id = idAt(lines, at);
        if (id === undefined) return { ids, anchor, ranged: [] };
        const from = range ? lines.findIndex(({ key }) => key === anchor) : -1;
        const next = new Set(ids);
        if (from >= 0) for (const each of between(lines, from, at)) next.add(each);
        else if (!next.delete(id)) next.add(id);
        return { ids: next, anchor: lines[at]!.key, ranged: [] };
      }),
    [lines],
  );
  const extend = useCallback(
    (from: number, to: number) =>
      setKept(({ ids, anchor, ranged }) => {
        const known = ranged.length === 0 ? -1 : lines.findIndex(({ key }) => key === anchor);
        const start = known < 0 ? from : known;
        const taken = between(lines, start, to);
        const next = new Set(ids);
        for (const id of ranged) next.delete(id);
        for (const id of taken) next.add(id);
        return { ids: next, anchor: lines[start]?.key, ranged: taken };
      }),
    [lines],
  );
  const setMany = useCallback(
    (many: Iterable<string>, on: boolean) =>
      setKept(({ ids, anchor }) => {
        const next = new Set(ids);
        for (const id of many)
          if (on) next.add(id);
          else next.delete(id);
        return { ids: next, anchor, ranged: [] };
      }),
    [],
  );
  const clear = useCallback(() => setKept(nothing), []);
  const ids = useMemo(() => {
    const seen = [...kept.ids].filter((id) => shown.has(id));
    return seen.length === kept.ids.size ? kept.ids : new Set(seen);
  }, [kept.ids, shown]);
  return useMemo(() => ({ ids, toggle, extend, setMany, clear }), [ids, toggle, extend, setMany, clear]);
}
