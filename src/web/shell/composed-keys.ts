/** The code of keys that an input method handles, in browsers that report the end of a composition before its key. */
const composedKeyCode = 229;

/** The deprecated code is the only sign of such a key in Safari. */
interface KeyOfAnyBrowser {
  readonly isComposing: boolean;
  readonly keyCode: number;
  stopImmediatePropagation(): void;
}

/**
 * Keeps the keys of input methods (Japanese, Chinese, Korean, dead keys) from all handlers of the page: an Enter or Escape of theirs ends the
 * composition alone, and saves, closes or chooses nothing. Called before anything else listens for keys.
 */
export function ignoreComposedKeys(): void {
  const stop = (event: KeyOfAnyBrowser): void => {
    if (event.isComposing || event.keyCode === composedKeyCode) event.stopImmediatePropagation();
  };
  window.addEventListener('keydown', stop, true);
}
