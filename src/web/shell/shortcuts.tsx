import { useEffect, useEffectEvent } from 'react';

/** Keys that do something wherever no text is being written. */
export interface Shortcut {
  /** One key as the keyboard names it (`c`, `?`, `Enter`), or two in a row: `g b`. */
  readonly keys: string;
  /** What it does, as the list of shortcuts says it. */
  readonly name: string;
  readonly run: () => void;
}

export interface ShortcutGroup {
  /** Where they work: a view, or everywhere. */
  readonly name: string;
  readonly shortcuts: readonly Shortcut[];
}

/** Those that work now; the last that came is asked first, so that a view may have a key of its own. */
const groups = new Set<ShortcutGroup>();

/** What works now, for the list of shortcuts. */
export function shortcutsNow(): readonly ShortcutGroup[] {
  return [...groups].filter(({ shortcuts }) => shortcuts.length > 0);
}

/** Makes shortcuts work while the caller is shown. */
export function useShortcuts(name: string, shortcuts: readonly Shortcut[]): void {
  const latest = useEffectEvent((keys: string) => shortcuts.find((shortcut) => shortcut.keys === keys)?.run());
  // Told apart by what they are, not by whether they were made anew: `run` is always the newest.
  const shown = JSON.stringify(shortcuts.map(({ keys, name: what }) => [keys, what]));
  useEffect(() => {
    const named = JSON.parse(shown) as readonly (readonly [string, string])[];
    const group = {
      name,
      shortcuts: named.map(([keys, what]) => ({ keys, name: what, run: () => latest(keys) })),
    };
    groups.add(group);
    return () => void groups.delete(group);
  }, [name, shown]);
}

/** How long the second of two keys is waited for, in milliseconds. */
const secondKeyMs = 1500;

/** Listens for keys, once for the whole page. */
export function useShortcutKeys(): void {
  useEffect(() => {
    let first: { readonly key: string; readonly at: number } | undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (!isForShortcuts(event)) return;
      const begun = first !== undefined && event.timeStamp - first.at < secondKeyMs ? first.key : undefined;
      first = undefined;
      const found = shortcutFor(begun === undefined ? event.key : `${begun} ${event.key}`);
      if (found !== undefined) {
        event.preventDefault();
        found.run();
      } else if (begins(event.key)) {
        event.preventDefault();
        first = { key: event.key, at: event.timeStamp };
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

function shortcutFor(keys: string): Shortcut | undefined {
  for (const { shortcuts } of [...groups].reverse()) {
    const found = shortcuts.find((shortcut) => shortcut.keys === keys);
    if (found !== undefined) return found;
  }
  return undefined;
}

function begins(key: string): boolean {
  return [...groups].some(({ shortcuts }) => shortcuts.some(({ keys }) => keys.startsWith(`${key} `)));
}

/** A key belongs to what is being written, to a window over the page, or to the browser before it is a shortcut. */
function isForShortcuts(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return false;
  if (document.querySelector('#root[aria-hidden="true"]') !== null) return false;
  return !isWritten(event.target);
}

function isWritten(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  if (target instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'button', 'submit', 'color'].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Whether this computer says Cmd where others say Ctrl. */
export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);
