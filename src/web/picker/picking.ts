import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import type { PickedField } from './fields.ts';

interface Anchor {
  getBoundingClientRect(): DOMRect;
}

/** The tasks to change, and the element beside which the picker opens. */
export interface Subject {
  readonly ids: readonly string[];
  readonly anchor: Anchor;
}

export interface Picking extends Subject {
  /** Undefined: the field is chosen first. */
  readonly field?: PickedField | undefined;
}

let current: Picking | undefined;
const listeners = new Set<() => void>();

function set(picking: Picking | undefined): void {
  current = picking;
  for (const listener of listeners) listener();
}

/** Opens the picker for tasks. */
export function openPicker(picking: Picking): void {
  if (picking.ids.length > 0) set({ ...picking, anchor: fixed(picking) });
}

export const closePicker = (): void => set(undefined);

export function usePicking(): Picking | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

/** The element of the field within the subject, if it shows one. It keeps its place when a change removes it from the page. */
function fixed({ anchor, field }: Picking): Anchor {
  if (!(anchor instanceof Element)) return anchor;
  const at = anchor.querySelector(`[data-field="${field}"]`) ?? anchor.querySelector('[data-fields]') ?? anchor;
  let rect = at.getBoundingClientRect();
  return { getBoundingClientRect: () => (at.isConnected ? (rect = at.getBoundingClientRect()) : rect) };
}

/** Returns the subject of a view, given the card or row that is focused or clicked. */
type FindSubject = (near: HTMLElement | null) => Subject | undefined;
const finders = new Set<FindSubject>();

/** Says which tasks of a view are selected: a key means them unless the focus is in the open task. */
export function useSubject(find: FindSubject): void {
  const latest = useEffectEvent(find);
  useEffect(() => {
    const finder: FindSubject = (near) => latest(near);
    finders.add(finder);
    return () => void finders.delete(finder);
  }, []);
}

/**
 * The tasks that a key or a click near an element means: of the open task if it is in that, of a selection, of the card, and else of the
 * open task.
 */
export function subjectNow(at = document.activeElement): Subject | undefined {
  const near = at?.closest<HTMLElement>('[data-task]') ?? null;
  const open = document.querySelector<HTMLElement>('[role="dialog"][data-task]');
  if (near !== null && near === open) return ofElement(near);
  for (const find of finders) {
    const found = find(near);
    if (found !== undefined) return found;
  }
  return ofElement(near ?? open);
}

function ofElement(element: HTMLElement | null | undefined): Subject | undefined {
  return element == null ? undefined : { ids: [element.dataset['task']!], anchor: element };
}
