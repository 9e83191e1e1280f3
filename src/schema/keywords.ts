import { controlCharacterIn } from '../printable.ts';

/** The keywords of our own that a text can violate: each takes its value in the schema and the text. */

/** `maxBytes`: the text has at most so many bytes of UTF-8. */
export function fitsBytes(max: number, text: string): boolean {
  return text.length * 3 <= max || Buffer.byteLength(text) <= max;
}

/** `notBlank`: the text has a character that is not white space. */
export function isNotBlank(wanted: boolean, text: string): boolean {
  return !wanted || /\S/.test(text);
}

/** `oneLine`: the text has no control character. */
export function isOneLine(wanted: boolean, text: string): boolean {
  return !wanted || controlCharacterIn(text) === undefined;
}
