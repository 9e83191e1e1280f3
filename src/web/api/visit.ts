import { useEffect } from 'react';

/** When this browser left a project, and where its visit then began to count changes from, in milliseconds. */
interface Visit {
  readonly left?: number;
  readonly since?: number;
}

/** Shorter pauses belong to one visit. */
const pauseMs = 30 * 60_000;

function placeOf(projectId: string): string {
  return `planner.visit.${projectId}`;
}

/** The end of the visit before this one, in milliseconds; undefined on the first one. */
export function lastVisitOf(projectId: string): number | undefined {
  const { left, since } = JSON.parse(localStorage.getItem(placeOf(projectId)) ?? '{}') as Visit;
  return left !== undefined && Date.now() - left > pauseMs ? left : since;
}

/** Notes when the browser leaves a project. */
export function useVisit(projectId: string | undefined): void {
  useEffect(() => {
    if (projectId === undefined) return;
    const leave = (): void =>
      localStorage.setItem(placeOf(projectId), JSON.stringify({ left: Date.now(), since: lastVisitOf(projectId) }));
    const onChange = (): void => void (document.visibilityState === 'hidden' && leave());
    document.addEventListener('visibilitychange', onChange);
    return () => {
      document.removeEventListener('visibilitychange', onChange);
      leave();
    };
  }, [projectId]);
}
