import { renderAddress } from '../../base/addresses.ts';

/**
 * The script by which a rendered artifact communicates with the page that frames it, which cannot access its sandbox. It posts `{planner:
 * 'size', id, width, height}` in CSS pixels whenever that changes, `{planner: 'go', id}` when a link to another screen is clicked, which a
 * frame without an origin could not follow with the visitor's credential, and `{planner: 'key', key}` for arrows and Escape. For
 * annotations it posts `{planner: 'text', id, text}`, the whole visible text, whenever that changes, `{planner: 'selected', from, to}` and
 * `{planner: 'pressed', at}` in UTF-16 units of that text, and highlights the ranges of `{planner: 'mark', marks: [{from, to, chosen}]}`.
 * Only the service's own pages may frame it, so messages may be posted to any origin. The messages are untrusted: an artifact may post
 * anything, and the framing page does nothing in response that a visitor could not do.
 */
export function embeddedScript(id: string): string {
  return `<script>(${speak})(${JSON.stringify(id)})</script>`;
}

/** A longer text is annotated only by pins. */
const textCharactersMax = 1_000_000;

const renderPattern = new RegExp(`^${renderAddress('([A-Za-z0-9_-]{1,64})')}`);

/** Runs in the artifact's page. */
const speak = `(own) => {
  const say = (message) => parent.postMessage(message, '*');
  const size = () => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    say({ planner: 'size', id: own, width: scrollWidth, height: scrollHeight });
  };
  addEventListener('load', size);
  new ResizeObserver(size).observe(document.documentElement);
  if (document.body) new ResizeObserver(size).observe(document.body);
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    const [, id] = /${renderPattern.source}/.exec(link ? link.getAttribute('href') : '') || [];
    if (!id) return;
    event.preventDefault();
    say({ planner: 'go', id });
  });
  addEventListener('keydown', ({ key, target }) => {
    const typing = target instanceof Element && target.closest('input, textarea, select, [contenteditable]');
    if (!typing && /^(Arrow(Left|Right)|Page(Up|Down)|Home|End|Escape)$/.test(key)) say({ planner: 'key', key });
  });

  const texts = () => {
    const found = [];
    const walker = document.createTreeWalker(document.body || document.documentElement, NodeFilter.SHOW_TEXT);
    for (let at = 0, node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement && node.parentElement.closest('script, style, template, noscript')) continue;
      found.push({ node, at });
      at += node.length;
    }
    return found;
  };
  let posted;
  const postText = () => {
    const text = texts().map(({ node }) => node.data).join('');
    if (text !== posted && text.length <= ${textCharactersMax}) say({ planner: 'text', id: own, text: (posted = text) });
  };
  let soon;
  const changed = () => {
    clearTimeout(soon);
    soon = setTimeout(postText, 50);
  };
  addEventListener('load', postText);
  new MutationObserver(changed).observe(document, { childList: true, characterData: true, subtree: true });
  const offsetOf = (container, offset) => {
    const point = new Range();
    point.setStart(container, offset);
    let end = 0;
    for (const { node, at } of texts()) {
      if (node === container) return at + offset;
      if (point.comparePoint(node, 0) >= 0) return at;
      end = at + node.length;
    }
    return end;
  };
  document.addEventListener('selectionchange', () => {
    const selection = getSelection();
    if (!selection || selection.rangeCount === 0) return;
    const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0);
    const [from, to] = [offsetOf(startContainer, startOffset), offsetOf(endContainer, endOffset)];
    say({ planner: 'selected', from, to });
  });
  addEventListener('click', ({ clientX, clientY }) => {
    const caret = document.caretPositionFromPoint && document.caretPositionFromPoint(clientX, clientY);
    // A click into the selection clears it after the event.
    const press = () => {
      const selection = getSelection();
      if (caret && (!selection || selection.isCollapsed))
        say({ planner: 'pressed', at: offsetOf(caret.offsetNode, caret.offset) });
    };
    setTimeout(press);
  });
  const rangeOf = (from, to) => {
    const range = new Range();
    let begun = false;
    for (const { node, at } of texts()) {
      if (!begun && from < at + node.length) {
        range.setStart(node, Math.max(0, from - at));
        begun = true;
      }
      if (begun && to <= at + node.length) {
        range.setEnd(node, Math.max(0, to - at));
        return range;
      }
    }
  };
  addEventListener('message', ({ source, data }) => {
    if (source !== parent || !data || data.planner !== 'mark' || !('highlights' in CSS)) return;
    const ranges = (isChosen) =>
      data.marks.filter(({ chosen }) => chosen === isChosen).flatMap(({ from, to }) => rangeOf(from, to) || []);
    CSS.highlights.set('planner-passage', new Highlight(...ranges(false)));
    CSS.highlights.set('planner-passage-chosen', new Highlight(...ranges(true)));
  });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    '::highlight(planner-passage){background:#fdf0b3;color:#1f2328}' +
      '::highlight(planner-passage-chosen){background:#f7c948;color:#1f2328}',
  );
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}`;
