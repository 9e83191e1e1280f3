import type { IncomingMessage } from 'node:http';
import { visit } from 'jsonc-parser';
import { PlannerError } from '../base/errors.ts';
import { limits } from '../base/limits.ts';
import { atOnce, inSlices, type Steps } from '../base/slices.ts';
import { leaseBody, requireRoom } from './body-budget.ts';
import type { BodyLease } from './body-budget.ts';
import { MemberCount, rejectDuplicates } from './json-members.ts';

/**
 * Reads the JSON body of a request, or undefined. Accepts at most `bytesMax` bytes of UTF-8 without a content encoding,
 * so that a small body never expands into a large one. Throws `unsupported_media_type`, `payload_too_large`, or
 * `invalid_argument` with line and column if the body is not JSON.
 */
export async function readJson(request: IncomingMessage, bytesMax: number = limits.requestBytesMax): Promise<unknown> {
  if (!hasBody(request)) {
    refuseForm(request);
    return undefined;
  }
  requireJson(request);
  const count = new MemberCount();
  // The parser reads a body that arrived with its head after the listener for the head has returned.
  if (!request.complete) await Promise.resolve();
  // The events of a stream, and a lease of memory, cost more than to parse a body that is there.
  if (request.complete && !request.destroyed && request.readableLength <= smallBodyBytesMax) {
    const bytes = request.read() as Buffer | null;
    if (bytes === null) return undefined;
    if (bytes.length > bytesMax) throw tooLarge(bytesMax);
    requireRoom(request, bytes.length);
    count.write(bytes);
    return atOnce(parsing(bytes, count.members));
  }
  return withBody(
    request,
    bytesMax,
    (bytes) => (bytes.length === 0 ? undefined : inSlices('request body', parsing(bytes, count.members))),
    (chunk) => count.write(chunk),
  );
}

/** Throws `unsupported_media_type` for a form, even an empty one: a page of any site can make a browser send one without preflight. */
export function refuseForm(request: IncomingMessage): void {
  if (request.method === 'POST' && request.headers['content-type'] !== undefined) requireJson(request);
}

/** Returns whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Throws `unsupported_media_type` for a body with a content encoding. */
export function requireIdentity({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return;
  throw unsupported(
    `The content encoding ${JSON.stringify(encoding)} is not supported: send the body without Content-Encoding.`,
  );
}

/** Throws `unsupported_media_type` for a body that is not declared as plain JSON in UTF-8. */
export function requireJson(request: IncomingMessage): void {
  const { headers } = request;
  requireIdentity(request);
  const type = headers['content-type'] ?? '';
  if (type === 'application/json') return;
  const [essence = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  if (essence !== 'application/json') {
    throw unsupported(
      `The content type ${JSON.stringify(type)} is not supported: send JSON with "Content-Type: application/json".`,
    );
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !/^"?utf-?8"?$/.test(charset)) {
    throw unsupported(`The charset ${JSON.stringify(charset)} is not supported: send JSON in UTF-8.`);
  }
}

function malformed(message: string, details?: Record<string, unknown>): PlannerError {
  return new PlannerError('invalid_argument', message, details);
}

function unsupported(message: string): PlannerError {
  return new PlannerError('unsupported_media_type', message);
}

/**
 * Reads a body and calls `use` with its bytes; their memory is leased until `use` settles. Throws `payload_too_large`,
 * the errors of `leaseBody`, and the errors of `check`, which gets each chunk when it arrives.
 */
export async function withBody<T>(
  request: IncomingMessage,
  bytesMax: number,
  use: (bytes: Buffer) => T | Promise<T>,
  check: (chunk: Buffer) => void = () => undefined,
): Promise<T> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const lease = leaseBody(request);
  try {
    return await use(await collect(request, { bytesMax, lease, check }));
  } finally {
    lease.release();
  }
}

/** A longer body is parsed in slices. */
const smallBodyBytesMax = 16 * 1024;

/** The bounds of a body while it arrives. */
interface BodyBounds {
  readonly bytesMax: number;
  readonly lease: BodyLease;
  readonly check: (chunk: Buffer) => void;
}

/** Counts a chunk of a body that has so many bytes with it. Throws if they are too many. */
function takeChunk(chunk: Buffer, length: number, { bytesMax, lease, check }: BodyBounds): void {
  if (length > bytesMax) throw tooLarge(bytesMax);
  lease.grow(chunk.length);
  check(chunk);
}

/** Resolves to the bytes of the body. */
function collect(request: IncomingMessage, bounds: BodyBounds): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  if (request.destroyed) reject(incomplete());
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    try {
      length += chunk.length;
      takeChunk(chunk, length, bounds);
      chunks.push(chunk);
    } catch (error) {
      // The server discards the rest of the body after the response was sent.
      request.removeAllListeners('data');
      reject(error);
    }
  });
  request.once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)));
  request.once('error', () => reject(incomplete()));
  return promise;
}

function incomplete(): PlannerError {
  return malformed('The body ended before it was complete.');
}

function tooLarge(bytesMax: number): PlannerError {
  return new PlannerError('payload_too_large', `The body exceeds ${bytesMax} bytes. Send less at a time.`, {
    bytes_max: bytesMax,
  });
}

/** Strict: otherwise invalid UTF-8 would be stored with replacement characters, not as it was sent. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Bytes that were cut out of a body before it is parsed. */
export interface Cut {
  readonly at: number;
  readonly length: number;
}

/** Parses the rest of a body with so many members after a piece was cut out of it. */
export function parseRest(bytes: Buffer, members: number, cut?: Cut): Promise<unknown> {
  return inSlices('request body', parsing(bytes, members, cut));
}

/** Parses a text with so many members, in steps. */
function* parsing(bytes: Buffer, members: number, cut?: Cut): Steps<unknown> {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw malformed('The body is not UTF-8.');
  }
  yield;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw notJson(text, error as SyntaxError, cut);
  }
  yield;
  yield* rejectDuplicates(text, parsed, members);
  return parsed;
}

/** V8 does not always report the position of a syntax error: a second parser finds it in a text that is not too long. */
function notJson(text: string, error: SyntaxError, cut: Cut = { at: Infinity, length: 0 }): PlannerError {
  const found = text.length > limits.searchedBodyCharactersMax ? undefined : firstError(text);
  if (found === undefined) return malformed(`The body is not JSON: ${error.message}.`);
  const before = text.slice(0, found).split('\n');
  const line = before.length;
  const lineStart = found - before.at(-1)!.length;
  // The bytes that were cut out contain no line break.
  const column = found - lineStart + 1 + (cut.at >= lineStart && cut.at < found ? cut.length : 0);
  const position = found + (cut.at < found ? cut.length : 0);
  return malformed(`The body is not JSON: syntax error at line ${line}, column ${column} (position ${position}).`, {
    position,
    line,
    column,
  });
}

function firstError(text: string): number | undefined {
  let found: number | undefined;
  const onError = (_code: number, offset: number): void => {
    found = offset;
    throw new Error('Stops the parser at the first error: a long body that is not JSON at all has millions.');
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // Found, or the nesting overflowed the parser's stack, since it recurses per level: then the position is unknown.
  }
  return found;
}
