import { invalid } from '../base/errors.ts';
import { heapBytesFree } from '../platform/heap.ts';

/** The most bytes that a character, an object or array, a member and a value take, including reading them. */
const bytesPer = { character: 16, container: 96, member: 100, value: 16 } as const;
/** The most that a character of JSON takes: of `{},{},…`. */
const bytesPerCharacterMax = 40;
/** The share of the free memory that may be used at a time. */
const share = 0.7;

/**
 * Throws `invalid_argument` if this much memory is not left. V8 ends the process, not only the thread, if memory is used up while it parses
 * or splits a text: it cannot be interrupted there.
 */
function requireMemory(bytes: number): void {
  if (bytes > heapBytesFree() * share) throw invalid('file', 'The plan takes too much memory.');
}

/** Throws `invalid_argument` if a text of this length cannot be split into lines with the memory that is left. */
export function requireMemoryForText(length: number): void {
  requireMemory(length * bytesPer.character);
}

/** Parses JSON. Throws `invalid_argument` if its values may take more memory than is left, and a SyntaxError if it is no JSON. */
export function parseJson(text: string): unknown {
  if (text.length * bytesPerCharacterMax > heapBytesFree() * share) requireMemory(bytesOfValues(text));
  return JSON.parse(text);
}

/** The most bytes that the values of a JSON text take. Characters inside texts are counted alike. */
function bytesOfValues(text: string): number {
  let bytes = text.length * 2;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x2c) bytes += bytesPer.value;
    else if (code === 0x3a) bytes += bytesPer.member;
    else if (code === 0x7b || code === 0x5b) bytes += bytesPer.container;
  }
  return bytes;
}
