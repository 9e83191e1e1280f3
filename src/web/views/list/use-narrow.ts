import { useSyncExternalStore } from 'react';

const narrow = window.matchMedia('(max-width: 640px)');

function listen(heard: () => void): () => void {
  narrow.addEventListener('change', heard);
  return () => narrow.removeEventListener('change', heard);
}

/** Whether the window is a phone's: rows stand in two lines then. */
export function useNarrow(): boolean {
  return useSyncExternalStore(listen, () => narrow.matches);
}
