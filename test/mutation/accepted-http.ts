import type { Accepted } from './accepted.ts';

/** Accepted survivors of src/http: file, mutant, reason. */
const entries: readonly (readonly [file: string, mutant: string, why: string])[] = [
  [
    'request-order',
    '#closed: this.#lines.delete(line.socket); → (removed)',
    'Frees memory: a closed connection holds no input any more, and owes no response.',
  ],
  [
    'request-order',
    '#start: line.waiting.length === 0 && line.held.length === 0 → false',
    'Saves a turn, in which nothing is found to begin or to parse.',
  ],
  ['request-order', "#start: 'behind' → ''", 'Whatever is not "before" is queued behind.'],
  [
    'request-order',
    '#goOn: line.held.length === 0 → true',
    'A connection that is resumed while it holds input pauses itself again.',
  ],
  [
    'request-order',
    '#cutOffLargest: line.heldBytes > largest.heldBytes → line.heldBytes >= largest.heldBytes',
    'Which of two connections that hold the same goes does not matter.',
  ],
];

export const acceptedOfHttp: readonly Accepted[] = entries.map(([name, mutant, why]) => ({
  file: `src/http/${name}.ts`,
  mutant,
  why,
}));
