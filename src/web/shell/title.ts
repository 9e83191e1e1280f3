import { useEffect } from 'react';

/** Sets the title of the tab while a view is shown. */
export function useTitle(...parts: readonly (string | undefined)[]): void {
  const title = [...parts.filter((part) => part !== undefined && part !== ''), 'Planner'].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
