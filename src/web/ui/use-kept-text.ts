import { useState } from 'react';

/** What was typed into fields that were closed without sending or cancelling, by what it was for. It ends with the tab. */
const kept = new Map<string, string>();

/** A text that is there again when its field is: Escape closes a dialog, and discards nothing. `forget` ends it. */
export function useKeptText(of: string): readonly [text: string, set: (text: string) => void, forget: () => void] {
  const [text, setText] = useState(() => kept.get(of) ?? '');
  const set = (next: string): void => {
    kept.set(of, next);
    setText(next);
  };
  return [text, set, () => void kept.delete(of)];
}
