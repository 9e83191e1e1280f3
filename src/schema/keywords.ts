import { fullFormats } from 'ajv-formats/dist/formats.js';
import { controlCharacterIn } from '../base/printable.ts';

const isDateTime = validatorOf('date-time');

/** The function of the library that validates a format. */
function validatorOf(name: 'date' | 'date-time'): (text: string) => boolean {
  const format = fullFormats[name];
  if (typeof format !== 'object' || !('validate' in format) || typeof format.validate !== 'function')
    throw new Error(`ajv-formats has no function for ${name}.`);
  return format.validate as (text: string) => boolean;
}

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

/** The last valid date-time. A new record has the same one in several members. */
let lastDateTime: string | undefined;

/** The formats that the schemas use, by name. */
export const formats: Readonly<Record<'date' | 'date-time', (text: string) => boolean>> = {
  date: validatorOf('date'),
  'date-time': (text) => {
    if (text === lastDateTime) return true;
    if (!isDateTime(text)) return false;
    lastDateTime = text;
    return true;
  },
};
