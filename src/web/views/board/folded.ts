import { useCallback, useState } from 'react';
import type { TaskStatus } from '../../rest/types.ts';

const storageKey = 'planner folded columns';

function read(): readonly string[] {
  return localStorage.getItem(storageKey)?.split(' ') ?? [];
}

/** The folded columns, kept by the browser. */
export function useFolded(): readonly [ReadonlySet<string>, (status: TaskStatus) => void] {
  const [folded, setFolded] = useState<ReadonlySet<string>>(() => new Set(read()));
  const toggle = useCallback((status: TaskStatus) => {
    const next = new Set(read());
    if (!next.delete(status)) next.add(status);
    localStorage.setItem(storageKey, [...next].join(' '));
    setFolded(next);
  }, []);
  return [folded, toggle];
}
