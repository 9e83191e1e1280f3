import { useState } from 'react';

/**
 * Texts that were typed into fields and closed without sending or cancelling, by the field's purpose. They end with the
 * tab.
 */
const kept = new Map<string, string>();

/**
 * The text of a dialog, which is there again when that is: Escape closes it, and discards nothing. `end` closes it for good: the text was sent,
 * or is not wanted.
 */
export function useKeptText(
  of: string,
  onClose: () => void,
): readonly [text: string, set: (text: string) => void, end: () => void] {
  const [text, setText] = useState(() => kept.get(of) ?? '');
  const set = (next: string): void => {
    kept.set(of, next);
    setText(next);
  };
  const end = (): void => {
    kept.delete(of);
    onClose();
  };
  return [text, set, end];
}
