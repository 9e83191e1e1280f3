/** Control characters, line separators, and the characters that embed, override or isolate a text direction. */
const control = /[[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]--\t]/v;

/** The first character that no text of one line may hold, as `U+001B`; undefined if there is none. Line breaks count, a tab does not. */
export function controlCharacterIn(text: string): string | undefined {
  const found = control.exec(text)?.[0];
  return found === undefined ? undefined : `U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Of the control and format characters these are printed as they are: line feed and tab; what written languages and emoji need (soft hyphen,
 * zero-width space and joiners, implicit direction marks, word joiner, visible Arabic and Kaithi signs, the tags of a flag); the byte order
 * mark, with which some editors begin a file. None of them is a command to a terminal or reorders a line.
 */
const hidden =
  /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{2,6}\u{e007f})|\r(?!\n|$)|[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\r\t\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u200b-\u200f\u2060\ufeff\u{110bd}\u{110cd}]]/gv;

/**
 * A text for a terminal: each control or format character that could act on it is written as JSON escapes it, `\u001b`, so that JSON stays the
 * same JSON. Line feeds, also those after a carriage return, stay.
 */
export function printable(text: string): string {
  return text.replace(hidden, (found, flag: string | undefined) => flag ?? escaped(found));
}

/** The same for what is one line: line feeds are escaped too. */
export function printableLine(text: string): string {
  return printable(text).replace(/\r?\n/g, escaped);
}

function escaped(found: string): string {
  let text = '';
  for (let at = 0; at < found.length; at++) text += `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return text;
}
