import { cancelled } from './status-synonyms.ts';

/** The state of a tick box. `unknown`: its mark, if that has no meaning everywhere. */
export interface TickBox {
  readonly status: string;
  readonly unknown?: string;
  /** The number of characters before the text. */
  readonly length: number;
}

/** Marks with one meaning in all tools that write them; `~`, `>` and others have several. */
const statuses: Readonly<Record<string, string>> = {
  ...{ '': 'todo', ' ': 'todo', '/': 'in_progress', '-': cancelled },
  ...{ x: 'done', X: 'done', '✓': 'done', '✔': 'done', '√': 'done', '☑': 'done', '✅': 'done' },
};

const marks = String.raw`[ xX/\\~<>!?*+=_.✓✔√☑☒✅❌✗✘-]`;
const box = new RegExp(`^(?:\\[(${marks}?)\\ufe0f?\\]|([☐☑]))\\s+(?=\\S)`, 'u');
const item = new RegExp(`^[ \\t>]*(?:[-*+]|\\d+[.)])[ \\t]+(?:\\[${marks}?\\ufe0f?\\]|[☐☑])[ \\t]+\\S`, 'mu');
const inText = new RegExp(`^[\\s>|]*(?:(?:[-*+]|\\d+[.)])\\s+)?\\[${marks}?\\]\\s*[^\\s(:[]|\\|\\s*\\[[ xX]\\]`, 'u');

/** The tick box that a text begins with. */
export function tickBoxOf(text: string): TickBox | undefined {
  const found = box.exec(text);
  if (found === null) return undefined;
  const [{ length }, bracketed, symbol] = found;
  const mark = bracketed ?? (symbol === '☐' ? ' ' : 'x');
  const status = statuses[mark];
  return status === undefined ? { status: 'todo', unknown: mark, length } : { status, length };
}

/** Returns whether a Markdown text has an item with a tick box. */
export function hasTickBox(markdown: string): boolean {
  return item.test(markdown);
}

/** The lines of a text that show a tick box. */
export function linesWithBox(text: string): string[] {
  return text.split('\n').filter((line) => inText.test(line));
}
