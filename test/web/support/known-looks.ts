import type { Page } from 'playwright-core';

/**
 * Wraps axe's rule of contrast, which takes six sevenths of the time of all, in a document: most texts of a view look as those of views before. A look
 * is what the contrast follows from: the colours and the size of a text, what its ancestors paint behind it, and the classes of those that are
 * positioned, behind which something else may be. Looks that axe accepted are known, and only these are not judged again.
 */
const wrapContrast = `(known) => {
  const fresh = [];
  window.freshLooks = () => fresh.splice(0);
  const hash = (text) => {
    let [a, b] = [0xdeadbeef, 0x41c6ce57];
    for (let at = 0; at < text.length; at++) {
      a = Math.imul(a ^ text.charCodeAt(at), 2654435761);
      b = Math.imul(b ^ text.charCodeAt(at), 1597334677);
    }
    return (b >>> 0).toString(36) + (a >>> 0).toString(36);
  };
  // Colours and classes change between two runs of axe.
  let [painted, looks] = [new Map(), new Map()];
  const paintedBehind = (element) => {
    if (element === null) return '';
    if (painted.has(element)) return painted.get(element);
    const style = getComputedStyle(element);
    const own = [
      style.backgroundColor.replace('rgba(0, 0, 0, 0)', ''),
      style.backgroundImage.replace('none', ''),
      style.opacity.replace(/^1$/, ''),
      style.filter.replace('none', ''),
      style.mixBlendMode.replace('normal', ''),
      style.position === 'static' ? '' : style.position + style.zIndex + element.getAttribute('class'),
    ].join('');
    const all = own === '' ? paintedBehind(element.parentElement) : hash(own + paintedBehind(element.parentElement));
    painted.set(element, all);
    return all;
  };
  const lookOf = (element) => {
    const { color, fontSize, fontWeight, textShadow, webkitTextStroke } = getComputedStyle(element);
    const place = [element.localName, element.getAttribute('class'), element.parentElement?.getAttribute('class')];
    return hash([paintedBehind(element), color, fontSize, fontWeight, textShadow, webkitTextStroke, ...place].join());
  };
  const hasText = (element) =>
    element.matches('input, select, textarea') || [...element.childNodes].some((each) => each.nodeType === Node.TEXT_NODE && each.data.trim() !== '');
  const rule = axe._audit.rules.find(({ id }) => id === 'color-contrast');
  const { gatherAndMatchNodes, matches } = rule;
  rule.gatherAndMatchNodes = function (...context) {
    [painted, looks] = [new Map(), new Map()];
    return gatherAndMatchNodes.apply(this, context);
  };
  rule.matches = function (element, ...context) {
    if (!hasText(element)) return false;
    const look = lookOf(element);
    looks.set(element, look);
    return !known.has(look) && matches.call(this, element, ...context);
  };
  const check = axe._audit.checks['color-contrast'];
  const { evaluate } = check;
  check.evaluate = function (element, ...context) {
    const look = looks.get(element);
    if (known.has(look)) return true;
    let reason;
    const isAccepted = evaluate.call({ ...this, data: (data) => this.data(data, (reason = data?.messageKey)) }, element, ...context);
    if (isAccepted === true && reason !== 'hidden') {
      known.add(look);
      fresh.push(look);
    }
    return isAccepted;
  };
}`;

/** The looks that axe accepted in a document of this process. */
const known = new Set<string>();

/** Lets axe, which is in the page, judge only looks of texts that are not known. */
export async function knowLooks(page: Page): Promise<void> {
  await page.evaluate(`(${wrapContrast})(new Set(${JSON.stringify([...known])}))`);
}

/** Remembers what axe has accepted in the page since the last call. */
export async function keepLooks(page: Page): Promise<void> {
  for (const look of await page.evaluate<string[]>('freshLooks()')) known.add(look);
}
