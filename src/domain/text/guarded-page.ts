/**
 * Removes WebRTC from a page before anything of it runs: no policy of browsers keeps WebRTC from opening connections. Frames, which would have interfaces of
 * their own, are removed before they load; the policy lets them load nothing from elsewhere anyway. It is a guard and not
 * a wall: a page may find another way to a document of its own, a frame in a shadow tree for one.
 */
const guard = `<script>(() => {
  const isRtc = (name) => /^(webkit|moz)?RTC/.test(name);
  for (const name of Object.getOwnPropertyNames(window).filter(isRtc))
    Object.defineProperty(window, name, { value: undefined, writable: false, configurable: false });
  const removeFrames = () => document.querySelectorAll('iframe, frame, object, embed').forEach((one) => one.remove());
  new MutationObserver(removeFrames).observe(document, { childList: true, subtree: true });
  document.currentScript.remove();
})()</script>`;

/** A page of another author with the guard before everything but its doctype, without which browsers lay it out differently. */
export function guardedPage(html: string): string {
  // A doctype ends with the first `>`, whatever it holds. Behind comments none is looked for: browsers end some of them earlier.
  const [doctype = ''] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
  return doctype + guard + html.slice(doctype.length);
}

/** Whether HTML begins, behind comments, as a page does. One pattern for it would try every way to cut the comments. */
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
