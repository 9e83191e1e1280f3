/** Texts below this length are rendered whole, in characters. */
export const wholeCharactersMax = 8000;
/** A piece ends at the next possible place after this length, in characters. */
const pieceCharacters = 3000;

const fence = /^( {0,3})(`{3,}|~{3,})/;
const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const heading = /^#{1,6}(?:\s|$)/;
/** HTML that continues over blank lines, and its end. */
const longHtml: readonly (readonly [RegExp, RegExp])[] = [
  [/^ {0,3}<!--/, /-->/],
  [/^ {0,3}<(?:pre|script|style|textarea)(?=[\s>]|$)/i, /<\/(?:pre|script|style|textarea)>/i],
  [/^ {0,3}<\?/, /\?>/],
  [/^ {0,3}<!\[CDATA\[/, /\]\]>/],
  [/^ {0,3}<![A-Za-z]/, />/],
];
const definition = /^ {0,3}\[(?!\^)(?:[^\]\\]|\\.)+\]:\s*\S.*$/;

/**
 * Splits Markdown into pieces that render alone as they do together, so that after a change only the changed piece is parsed. A piece
 * ends before a line that ends every list, quote and paragraph: one without indentation after a blank line, which is no list item.
 * Footnotes are numbered over the whole text: a text with footnotes is one piece.
 */
export function markdownPieces(text: string): readonly string[] {
  if (text.length < wholeCharactersMax || /^ {0,3}\[\^[^\]]+\]:/m.test(text)) return [text];
  const lines = text.split('\n');
  const scan = new Scan();
  const pieces: string[] = [];
  let begin = 0;
  let length = 0;
  for (const [at, line] of lines.entries()) {
    const mayEnd = scan.mayEndBefore(line);
    if (mayEnd && at > begin && (heading.test(line) || length >= pieceCharacters)) {
      pieces.push(lines.slice(begin, at).join('\n'));
      begin = at;
      length = 0;
    }
    scan.take(line);
    length += line.length + 1;
  }
  pieces.push(lines.slice(begin).join('\n'));
  const { definitions } = scan;
  if (definitions.length === 0) return pieces;
  // A link may be defined in another piece. The first definition of a label counts.
  const all = definitions.join('\n');
  return pieces.map((piece) => (piece.includes('[') ? `${all}\n\n${piece}` : piece));
}

/** The blocks that the lines so far have opened. */
class Scan {
  readonly definitions: string[] = [];
  #fence: { readonly mark: string | undefined; readonly inList: boolean } | undefined;
  #htmlEnd: RegExp | undefined;
  #isAfterBlank = true;
  #isInList = false;

  /**
   * Returns whether a piece may end before the line. An open fence has the blank lines up to the end of its list item:
   * they stay with it.
   */
  mayEndBefore(line: string): boolean {
    return this.#fence === undefined && this.#endsLists(line);
  }

  /**
   * Returns whether every list, quote and paragraph before the line ends with it. The fence of a list item ends with
   * the item.
   */
  #endsLists(line: string): boolean {
    if (this.#htmlEnd !== undefined || !this.#isAfterBlank || !/^\S/.test(line) || listItem.test(line)) return false;
    return this.#fence === undefined || this.#fence.inList;
  }

  take(line: string): void {
    if (this.#endsLists(line)) {
      this.#fence = undefined;
      this.#isInList = false;
    }
    this.#takeWithin(line);
    this.#isAfterBlank = /^\s*$/.test(line);
  }

  #takeWithin(line: string): void {
    if (this.#htmlEnd !== undefined) {
      if (this.#htmlEnd.test(line)) this.#htmlEnd = undefined;
      return;
    }
    if (this.#fence !== undefined) {
      const { mark, inList } = this.#fence;
      const closed = line.trim();
      // A list item within the fence of a list item is code, or ends it: it counts as open up to the end of the list.
      if (inList && listItem.test(line)) this.#fence = { mark: undefined, inList };
      else if (mark !== undefined && closed.startsWith(mark) && closed.replaceAll(mark[0]!, '') === '')
        this.#fence = undefined;
      return;
    }
    if (listItem.test(line)) this.#isInList = true;
    const [, , mark] =
      fence.exec(line) ?? (this.#isInList ? /^(\s*(?:[-*+]|\d{1,9}[.)])?\s*)(`{3,}|~{3,})/.exec(line) : null) ?? [];
    if (mark !== undefined) this.#fence = { mark, inList: this.#isInList };
    else if (definition.test(line)) this.definitions.push(line);
    else this.#htmlEnd = longHtml.find(([start, end]) => start.test(line) && !end.test(line.replace(start, '')))?.[1];
  }
}
