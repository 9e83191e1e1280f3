/** Control characters, line separators, and the characters that embed, override or isolate a text direction. */
const control = /[[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]--\t]/v;

/**
 * The first character that is invalid in a one-line text, as `U+001B`, or undefined. Line breaks are invalid, tabs are
 * valid.
 */
export function controlCharacterIn(text: string): string | undefined {
  const found = control.exec(text)?.[0];
  return found === undefined ? undefined : `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

const controls = new RegExp(control.source, 'gv');

/** A text without characters that are invalid in one line: a directory's name as the name of a record. */
export function plainLine(text: string): string {
  return text.replace(controls, ' ').trim();
}

/**
 * Control and format characters that are escaped: all but line feed and tab; characters that languages and emoji need
 * (soft hyphen, zero-width space and joiners, implicit direction marks, word joiner, visible Arabic and Kaithi signs,
 * the tags of a flag); and the byte order mark, which some editors write. These exceptions never control a terminal or
 * reorder a line.
 */
const hidden =
  /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{2,6}\u{e007f})|\r(?!\n|$)|[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\r\t\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u200b-\u200f\u2060\ufeff\u{110bd}\u{110cd}]]/gv;

/**
 * Escapes a text for a terminal: control and format characters that could act on it are written as JSON escapes, `\u001b`, so that JSON
 * output keeps its meaning. Line feeds and CRLF are kept.
 */
export function printable(text: string): string {
  return text.replace(hidden, (found, flag: string | undefined) => flag ?? escaped(found));
}

/** Escapes a one-line text: line feeds, too. */
export function printableLine(text: string): string {
  return printable(text).replace(/\r?\n/g, escaped);
}

function escaped(found: string): string {
  let text = '';
  for (let at = 0; at < found.length; at++) text += `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return text;
}
