import { useSyncExternalStore } from 'react';

const narrow = window.matchMedia('(max-width: 640px)');

function listen(listener: () => void): () => void {
  narrow.addEventListener('change', listener);
  return () => narrow.removeEventListener('change', listener);
}

/** Returns whether the window is as narrow as a phone's: rows then have two lines. */
export function useNarrow(): boolean {
  return useSyncExternalStore(listen, () => narrow.matches);
}
