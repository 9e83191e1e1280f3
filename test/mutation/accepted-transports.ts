import type { Accepted } from './survivors.ts';

/** Accepted survivors of src/http, src/rest and src/mcp. */
const entries: readonly (readonly [file: string, mutant: string, why: string])[] = [
  [
    'http/request-order',
    '#closed: this.#queues.delete(queue.socket); → (removed)',
    'Frees memory: a closed connection holds no input any more, and owes no response.',
  ],
  [
    'http/request-order',
    '#start: queue.waiting.length === 0 && queue.buffered.length === 0 → false',
    'Saves a turn, in which nothing is found to begin or to parse.',
  ],
  ['http/request-order', "#start: 'behind' → ''", 'Whatever is not "before" is queued behind.'],
  [
    'http/request-order',
    '#resume: queue.buffered.length === 0 → true',
    'A connection that is resumed while it holds input pauses itself again.',
  ],
  [
    'http/request-order',
    '#destroyLargest: queue.bufferedBytes > largest.bufferedBytes → queue.bufferedBytes >= largest.bufferedBytes',
    'Which of two connections that hold the same goes does not matter.',
  ],
  [
    'http/unsent-responses',
    '#checkUnsent: response.writableLength > 0 → true',
    'Saves the counting when a response was sent at once; the sums are those that the next sweep finds.',
  ],
  [
    'http/unsent-responses',
    '#checkUnsent: response.writableLength > 0 → response.writableLength >= 0',
    'Saves the counting when a response was sent at once; the sums are those that the next sweep finds.',
  ],
  [
    'http/unsent-responses',
    '#sweep: this.#underWay.size > 0 → true',
    'Saves the sweeps while no response is under way, which find nothing.',
  ],
  [
    'http/unsent-responses',
    '#sweep: this.#underWay.size > 0 → this.#underWay.size >= 0',
    'Saves the sweeps while no response is under way, which find nothing.',
  ],
  ['http/json-members', 'write: at < bytes.length → at <= bytes.length', 'There is no byte behind the end.'],
  [
    'http/json-members',
    'membersOf: Array.isArray(next) → false',
    'The values of a list are its items; it saves the copy.',
  ],
  [
    'http/read-json',
    "requireJson: type === 'application/json' → false",
    'Saves the parsing of the usual header, which comes to the same.',
  ],
  [
    'http/http-server',
    'listen: unsent.end(response); → (removed)',
    'Frees memory: a response that is over has nothing unsent.',
  ],
  [
    'http/http-server',
    "listenFailure: error.code === 'EACCES' → false",
    'Which ports a user may not listen on depends on the system; root may on all.',
  ],
  [
    'http/http-server',
    "listenFailure: 'forbidden' → ''",
    'Which ports a user may not listen on depends on the system; root may on all.',
  ],
  [
    'http/http-server',
    'respondToInvalidRequest: !socket.writable → false',
    'To write to a connection that has ended destroys it too.',
  ],
  [
    'http/http-server',
    'respondToInvalidRequest: return; → (removed)',
    'To write to a connection that is destroyed does nothing.',
  ],
  [
    'http/connections',
    '#opened: this.#open.size <= checkedAbove → this.#open.size < checkedAbove',
    'It asks for the limit one connection later: a process that may open so few files has others fail before.',
  ],
  [
    'http/connections',
    '#opened: this.#open.size <= checkedAbove && this.#options.max > checkedAbove → false',
    'Only saves asking how many files the process may open.',
  ],
  [
    'http/connections',
    '#opened: this.#options.max > checkedAbove → this.#options.max >= checkedAbove',
    'So few connections are not over that maximum.',
  ],
  [
    'http/connections',
    'end: !request.complete && response.writableFinished → response.writableFinished',
    'Saves a timer: a request that is complete is closed, which clears it.',
  ],
  [
    'http/connections',
    'connectionsAllowed: Number.isFinite(files) → true',
    'Where the tests run, the number of files has a limit.',
  ],
  [
    'http/send',
    'sendChunks: first.done === true || second.done === true → second.done === true',
    'What has no first piece has no second one.',
  ],
  [
    'http/send',
    'sendChunks: false → true',
    'Pieces are handed over as texts then, which the response encodes to the same bytes.',
  ],
  ['rest/rest-route', "input: query !== '' → true", 'An empty query has no members.'],
  ['mcp/exchange', 'ask: params === undefined → false', 'A member that is undefined is none.'],
  [
    'mcp/exchange',
    'ask: this.#handing = undefined; → (removed)',
    'The SDK reports errors only of the message that is being passed to it.',
  ],
  [
    'mcp/exchange',
    'refuse: id === undefined → false',
    'The SDK reports errors only of the message that is being passed to it.',
  ],
  [
    'mcp/exchange',
    'settle: this.#pending.delete(number); → (removed)',
    'Frees memory: a number is given to one request.',
  ],
  [
    'mcp/legacy-sdk',
    'start: { return Promise.resolve(); } → {}',
    'The SDK awaits what it returns: undefined does as well.',
  ],
  [
    'mcp/legacy-sdk',
    'close: { this.onclose?.(); return Promise.resolve(); } → {}',
    'The interface of a transport has it; this server is never closed.',
  ],
  [
    'mcp/legacy-sdk',
    'close: this.onclose?.(); → (removed)',
    'The interface of a transport has it; this server is never closed.',
  ],
  [
    'mcp/mcp-transport',
    'serve: response.headersSent → false',
    'Nothing throws once a response has begun; the check keeps a mistake there from ending the process.',
  ],
  [
    'mcp/legacy-era',
    "post: requests[0]!.method === 'initialize' → true",
    'Saves the look-up of the project: only initialize returns instructions.',
  ],
  [
    'mcp/tool-calls',
    "has: typeof name === 'string' && this.#tools.has(name) → this.#tools.has(name)",
    'No tool has a name that is no text.',
  ],
  [
    'mcp/legacy-era',
    "#callContext: typeof id !== 'string' → false",
    'Without the header there is no session to be found, and the author is the same.',
  ],
  ['mcp/mcp-transport', '#instructions: id === undefined → false', 'There is no project without an id.'],
  ['mcp/tool-calls', '#run: true → false', 'Saves making tags, which no answer of a tool has.'],
  ['http/cookies', 'set: maxAgeSeconds === undefined → false', 'A member that is undefined is no attribute.'],
  [
    'http/read-base64',
    '#isKey: true → false',
    'At the first string there is no string before it whose value it could be.',
  ],
  [
    'http/read-base64',
    '#step: this.#key.length <= this.member.length → true',
    'Bounds the memory of a long string: one longer than the name is another.',
  ],
  [
    'http/read-base64',
    "#unescaped: !all.includes('\\\\') → false",
    'Saves the replacing in the usual text, which has nothing to replace.',
  ],
  [
    'http/read-base64',
    "#unescaped: '\\\\' → ''",
    'Saves the replacing in the usual text, which has nothing to replace.',
  ],
  [
    'http/read-base64',
    '#unescaped: all.length - last < escapeLengthMax → all.length - last <= escapeLengthMax',
    'A whole escape that is kept is decoded with what follows it.',
  ],
  [
    'rest/rest-transport',
    "callOf: 'rest' → ''",
    'Operations ask whether a call came by MCP, and the journal whether a change came from the disk.',
  ],
  [
    'rest/rest-transport',
    '#answer: thrown instanceof PlannerError → true',
    'What is no error of the catalogue has no field to be renamed, and is passed on as it is.',
  ],
  ['rest/rest-transport', "#callerOf: 'rest' → ''", 'Only an MCP client has a name that decides an author.'],
  [
    'rest/rest-transport',
    "anonymousGuest: 'guest' → '' (2)",
    'The link replaces the id before anything is stored or counted by it.',
  ],
  [
    'rest/rest-transport',
    "anonymousGuest: 'guest' → '' (3)",
    'The link replaces the author before anything is changed.',
  ],
  [
    'rest/rest-transport',
    'editingSessionOf: header === undefined → false',
    'The pattern matches the name "undefined", and undefined is returned all the same.',
  ],
  ['rest/service-response', 'tagOf: tag === undefined → true', 'Saves the hashing of what was hashed before.'],
];

export const acceptedOfTransports: readonly Accepted[] = entries.map(([name, mutant, why]) => ({
  file: `src/${name}.ts`,
  mutant,
  why,
}));
