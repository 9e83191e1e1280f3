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
  [
    'unsent-responses',
    'begin: response.writableLength > 0 → true',
    'Saves the counting when a response was sent at once; the sums are those that the next sweep finds.',
  ],
  [
    'unsent-responses',
    'begin: response.writableLength > 0 → response.writableLength >= 0',
    'Saves the counting when a response was sent at once; the sums are those that the next sweep finds.',
  ],
  [
    'unsent-responses',
    '#sweep: this.#underWay.size > 0 → true',
    'Saves the sweeps while no response is under way, which find nothing.',
  ],
  [
    'unsent-responses',
    '#sweep: this.#underWay.size > 0 → this.#underWay.size >= 0',
    'Saves the sweeps while no response is under way, which find nothing.',
  ],
  ['body-budget', 'leaseBody: left > 0 → true', 'A sum of zero counts as none; its removal frees memory.'],
  ['body-budget', 'leaseBody: left > 0 → left >= 0', 'A sum of zero counts as none; its removal frees memory.'],
  ['json-members', 'countMembers: at < text.length → at <= text.length', 'There is no character behind the end.'],
  ['json-members', 'membersOf: Array.isArray(next) → false', 'The values of a list are its items; it saves the copy.'],
  [
    'read-json',
    "requireJson: type === 'application/json' → false",
    'Saves the parsing of the usual header, which comes to the same.',
  ],
  [
    'http-server',
    'listen: unsent.end(response); → (removed)',
    'Frees memory: a response that is over has nothing unsent.',
  ],
  [
    'http-server',
    "listenFailure: error.code === 'EACCES' → false",
    'Which ports a user may not listen on depends on the system; root may on all.',
  ],
  [
    'http-server',
    "listenFailure: 'forbidden' → ''",
    'Which ports a user may not listen on depends on the system; root may on all.',
  ],
  [
    'http-server',
    'answerBrokenRequest: !socket.writable → false',
    'To write to a connection that has ended destroys it too.',
  ],
  [
    'http-server',
    'answerBrokenRequest: return; → (removed)',
    'To write to a connection that is destroyed does nothing.',
  ],
  [
    'connections',
    '#opened: this.#open.size <= fewConnections → this.#open.size < fewConnections',
    'It asks for the limit one connection later: a process that may open so few files has others fail before.',
  ],
  [
    'connections',
    '#opened: this.#open.size <= fewConnections && this.#options.max > fewConnections → false',
    'Only saves asking how many files the process may open.',
  ],
  [
    'connections',
    '#opened: this.#options.max > fewConnections → this.#options.max >= fewConnections',
    'So few connections are not over that maximum.',
  ],
  [
    'connections',
    'begin: !request.complete → true',
    'Saves a timer: a request that is complete is closed, which clears it.',
  ],
  [
    'connections',
    'connectionsAllowed: Number.isFinite(files) → true',
    'Where the tests run, the number of files has a limit.',
  ],
];

export const acceptedOfHttp: readonly Accepted[] = entries.map(([name, mutant, why]) => ({
  file: `src/http/${name}.ts`,
  mutant,
  why,
}));
