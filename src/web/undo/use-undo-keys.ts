import { useEffect } from 'react';
import { goBack } from './offer-undo.ts';

/** Input types that are chosen rather than typed: they have no undo of their own. */
const chosen = new Set(['checkbox', 'radio', 'button', 'submit', 'color', 'date', 'range']);

/** Texts that are being edited have their own undo. */
function isTyped(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target instanceof HTMLTextAreaElement) return true;
  return target instanceof HTMLInputElement && !chosen.has(target.type);
}

/** Ctrl-Z and Cmd-Z undo the last change in the project, in every view; with Shift, or Ctrl-Y, it is redone. */
export function useUndoKeys(projectId: string | undefined): void {
  useEffect(() => {
    if (projectId === undefined) return undefined;
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, shiftKey, target, defaultPrevented } = event;
      if (!(ctrlKey || metaKey) || altKey || defaultPrevented || isTyped(target)) return;
      const letter = key.toLowerCase();
      if (letter !== 'z' && letter !== 'y') return;
      // An open dialog is about something else.
      if (document.querySelector('#root[aria-hidden="true"]') !== null) return;
      event.preventDefault();
      void goBack(projectId, letter === 'y' || shiftKey ? 'redo' : 'undo');
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [projectId]);
}
