import type { Stretch } from './text-quote.ts';

/** The text of an element: its text nodes concatenated. */
export function textIn(root: Node): string {
  return root.textContent ?? '';
}

/** A range of an element's text as a DOM range. */
export function rangeIn(root: Node, { from, to }: Stretch): Range | undefined {
  const range = document.createRange();
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let begun = false;
  let at = 0;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const length = node.textContent!.length;
    if (!begun && from < at + length) {
      range.setStart(node, from - at);
      begun = true;
    }
    if (begun && to <= at + length) {
      range.setEnd(node, to - at);
      return range;
    }
    at += length;
  }
  return undefined;
}

/** The part of an element's text that a DOM range covers; undefined if it is outside the element. */
export function stretchIn(root: Node, range: Range): Stretch | undefined {
  if (!root.contains(range.startContainer) || !root.contains(range.endContainer)) return undefined;
  const before = document.createRange();
  before.setStart(root, 0);
  before.setEnd(range.startContainer, range.startOffset);
  const from = before.toString().length;
  return { from, to: from + range.toString().length };
}

/** The offset in an element's text of a point of the window. */
export function offsetAt(root: Node, x: number, y: number): number | undefined {
  const position = caretAt(x, y);
  if (position === undefined || !root.contains(position.node)) return undefined;
  const before = document.createRange();
  before.setStart(root, 0);
  before.setEnd(position.node, position.offset);
  return before.toString().length;
}

function caretAt(x: number, y: number): { readonly node: Node; readonly offset: number } | undefined {
  const found = document.caretPositionFromPoint?.(x, y) ?? null;
  return found === null ? undefined : { node: found.offsetNode, offset: found.offset };
}
