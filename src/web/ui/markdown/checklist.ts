import type { Nodes } from 'mdast';
import { parseMarkdown } from './parse-markdown.ts';

/** The text with a checkbox of its checklists toggled, counted from 0 as they are drawn; undefined if it has no such one. */
export function withToggled(text: string, index: number): string | undefined {
  // Footnotes are drawn at the end, wherever they are written.
  if (/^ {0,3}\[\^[^\]]+\]:/m.test(text)) return undefined;
  const at = checkboxesIn(parseMarkdown(text), text)[index];
  if (at === undefined) return undefined;
  return text.slice(0, at) + (/[xX]/.test(text[at]!) ? ' ' : 'x') + text.slice(at + 1);
}

/** The offsets of the characters within `[ ]`, in the order of the text. */
function checkboxesIn(node: Nodes, text: string): readonly number[] {
  const within = 'children' in node ? node.children.flatMap((child) => checkboxesIn(child, text)) : [];
  if (node.type !== 'listItem' || typeof node.checked !== 'boolean') return within;
  const from = node.position?.start.offset;
  // Nothing but the mark of the item is before its checkbox.
  const box = from === undefined ? -1 : text.slice(from).search(/\[[\s xX]\]/);
  return from === undefined || box < 0 ? within : [from + box + 1, ...within];
}
