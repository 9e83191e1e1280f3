import { controlCharacterIn } from '../printable.ts';

/** Our own keywords for texts. Each function gets the keyword's value in the schema and the text. */

/** `maxBytes`: the text has at most this many bytes of UTF-8. */
export function fitsBytes(max: number, text: string): boolean {
  return text.length * 3 <= max || Buffer.byteLength(text) <= max;
}

/** `notBlank`: the text has a character that is not white space. */
export function isNotBlank(required: boolean, text: string): boolean {
  return !required || /\S/.test(text);
}

/** `oneLine`: the text has no control character. */
export function isOneLine(required: boolean, text: string): boolean {
  return !required || controlCharacterIn(text) === undefined;
}
