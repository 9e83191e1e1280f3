import { useEffect, useEffectEvent } from 'react';

/** Keys with an action, active unless a text is being edited. */
export interface Shortcut {
  /** One key by its name (`c`, `?`, `Enter`), or two in a row: `g b`. */
  readonly keys: string;
  /** The action's name in the list of shortcuts. */
  readonly name: string;
  readonly run: () => void;
}

export interface ShortcutGroup {
  /** Where they work: a view, or everywhere. */
  readonly name: string;
  readonly shortcuts: readonly Shortcut[];
}

/** The active groups; the latest one has precedence, so that a view may override a key. */
const groups = new Set<ShortcutGroup>();

/** The active shortcuts, for the list. */
export function shortcutsNow(): readonly ShortcutGroup[] {
  return [...Map.groupBy(groups, ({ name }) => name)]
    .map(([name, same]) => ({ name, shortcuts: same.flatMap(({ shortcuts }) => shortcuts) }))
    .filter(({ shortcuts }) => shortcuts.length > 0);
}

/** Registers shortcuts while the component is mounted. */
export function useShortcuts(name: string, shortcuts: readonly Shortcut[]): void {
  const latest = useEffectEvent((keys: string) => shortcuts.find((shortcut) => shortcut.keys === keys)?.run());
  // Compared by content, not by identity: `run` is always the newest.
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

/** The timeout for the second of two keys, in milliseconds. */
const secondKeyMs = 1500;

/** The key listener of the whole page. */
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

/** Returns whether a key is a shortcut: text fields, dialogs and the browser have precedence. */
function isForShortcuts(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
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

/** True if this computer uses Cmd instead of Ctrl. */
export const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);
