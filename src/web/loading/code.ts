import { useSyncExternalStore } from 'react';

/**
 * The state of code that does not load: the service is `away`, it serves a `new` build, or the code is `missing` from
 * the build that it serves.
 */
export type CodeState = 'fine' | 'away' | 'new' | 'missing';

let state: CodeState = 'fine';
const listeners = new Set<() => void>();
/** The pieces that are retried. */
let failing = 0;

function become(next: CodeState): void {
  if (state === next) return;
  state = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The state of the page's code. */
export function useCodeState(): CodeState {
  return useSyncExternalStore(subscribe, () => state);
}

const firstRetryMs = 500;
const retryMsMax = 3000;

/** Loads a piece of code, and retries until it is there. Rejects only if the code itself fails. */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isUnreachable(error)) throw error;
  }
  window.dispatchEvent(new Event('planner:unreachable'));
  failing++;
  try {
    return await retried(load);
  } finally {
    failing--;
    if (failing === 0 && state !== 'new') become('fine');
  }
}

async function retried<T>(load: () => Promise<T>): Promise<T> {
  for (let delayMs = firstRetryMs; ; delayMs = Math.min(delayMs * 2, retryMsMax)) {
    await checkBuild();
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    try {
      return await load();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
    }
  }
}

/** Code that could not be fetched. */
export class CodeUnreachable extends Error {}

/** The messages of Chromium, Firefox and Safari for files that could not be fetched. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof CodeUnreachable) return true;
  return error instanceof Error && /dynamically imported module|Importing a module script failed/.test(error.message);
}

const scriptOf = (html: Document): string | null | undefined =>
  html.querySelector('script[type="module"][src]')?.getAttribute('src');

/** Compares the served build with the build of this page. */
export async function checkBuild(): Promise<void> {
  const own = scriptOf(document);
  try {
    const response = await fetch('/', { cache: 'no-store', credentials: 'same-origin' });
    // A redirect leads to signing in, and a proxy answers for a service that starts.
    if (!response.ok || response.redirected) return lacks('away');
    const served = scriptOf(new DOMParser().parseFromString(await response.text(), 'text/html'));
    if (served != null && own != null && served !== own) become('new');
    else lacks('missing');
  } catch {
    lacks('away');
  }
}

/** Nothing is said of a service that nothing is requested from. */
function lacks(what: 'away' | 'missing'): void {
  become(failing === 0 ? 'fine' : what);
}
