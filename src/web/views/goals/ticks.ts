import { useCallback, useState } from 'react';

/** Ticks are stored in this browser until they are submitted as evidence. */
export function useTicks(goalId: string): {
  readonly ticked: ReadonlySet<string>;
  readonly tick: (item: string, on: boolean) => void;
  readonly clear: () => void;
} {
  const place = `planner.ticks.${goalId}`;
  const [ticked, setTicked] = useState(() => kept(place));
  const tick = useCallback(
    (item: string, on: boolean) => {
      setTicked((now) => {
        const next = new Set(now);
        if (on) next.add(item);
        else next.delete(item);
        localStorage.setItem(place, JSON.stringify([...next]));
        return next;
      });
    },
    [place],
  );
  const clear = useCallback(() => {
    localStorage.removeItem(place);
    setTicked(new Set());
  }, [place]);
  return { ticked, tick, clear };
}

function kept(place: string): ReadonlySet<string> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(place) ?? '[]');
    return new Set(Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);
  } catch {
    return new Set();
  }
}
