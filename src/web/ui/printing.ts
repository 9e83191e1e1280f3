import { useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';

let isPrinting = false;
const listeners = new Set<() => void>();

function become(printing: boolean): void {
  isPrinting = printing;
  // The browser prints the state that is drawn when this event ends.
  flushSync(() => {
    for (const listener of listeners) listener();
  });
}
window.addEventListener('beforeprint', () => become(true));
window.addEventListener('afterprint', () => become(false));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Returns whether the page is being printed: then everything is drawn, not only the visible part. */
export function usePrinting(): boolean {
  return useSyncExternalStore(subscribe, () => isPrinting);
}
