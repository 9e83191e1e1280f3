/**
 * Removes WebRTC from a page before its scripts run: no browser policy prevents WebRTC from opening connections. Frames, which would have
 * their own interfaces, are removed before they load; the policy permits them nothing from other origins anyway. This is not a complete
 * defence: a page may find another way to a new document, such as a frame in a shadow tree.
 */
const guard = `<script>(() => {
  const isRtc = (name) => /^(webkit|moz)?RTC/.test(name);
  for (const name of Object.getOwnPropertyNames(window).filter(isRtc))
    Object.defineProperty(window, name, { value: undefined, writable: false, configurable: false });
  const removeFrames = () => document.querySelectorAll('iframe, frame, object, embed').forEach((one) => one.remove());
  new MutationObserver(removeFrames).observe(document, { childList: true, subtree: true });
  document.currentScript.remove();
})()</script>`;

/** An untrusted page with the guard before everything except its doctype, without which browsers use quirks mode. */
export function guardedPage(html: string): string {
  // A doctype ends with the first `>`. A doctype after comments is not searched: browsers end some of them earlier.
  const [doctype = ''] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
  return doctype + guard + html.slice(doctype.length);
}

/**
 * Returns whether HTML, after leading comments, begins like a page. One pattern for it would backtrack over every way
 * to split the comments.
 */
export function isWholePage(html: string): boolean {
  const blank = /\s*/y;
  for (;;) {
    blank.test(html);
    const at = blank.lastIndex;
    if (!html.startsWith('<!--', at)) return /^<(?:!doctype|html)/i.test(html.slice(at, at + 10));
    const end = html.indexOf('-->', at + 4);
    if (end === -1) return false;
    blank.lastIndex = end + 3;
  }
}
