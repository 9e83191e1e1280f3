import type { IncomingMessage } from 'node:http';
import { visit } from 'jsonc-parser';
import { PlannerError } from '../errors.ts';
import { limits } from '../limits.ts';
import { atOnce, inSlices, type Steps } from '../slices.ts';
import { leaseBody } from './body-budget.ts';
import type { BodyLease } from './body-budget.ts';
import { countMembers, rejectDuplicates } from './json-members.ts';

/**
 * The JSON body of a request, undefined where it has none. At most `bytesMax` bytes are taken, as UTF-8 and as they are:
 * no content encoding is undone, so a small body never becomes a large one.
 * Throws `unsupported_media_type`, `payload_too_large`, or `invalid_argument` with line and column for what is not JSON.
 */
export async function readJson(request: IncomingMessage, bytesMax: number = limits.requestBytesMax): Promise<unknown> {
  refuseForm(request);
  if (!hasBody(request)) return undefined;
  requireJson(request);
  return withBody(request, bytesMax, (bytes) =>
    bytes.length === 0 ? undefined : inSlices('request body', parsing(bytes)),
  );
}

/** Throws `unsupported_media_type` for what a form sends, though it be empty: a page of any site can make a browser send one unasked. */
export function refuseForm(request: IncomingMessage): void {
  if (request.method === 'POST' && request.headers['content-type'] !== undefined) requireJson(request);
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** Throws `unsupported_media_type` for a body that would have to be unpacked. */
export function requireIdentity({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding === undefined || encoding.trim().toLowerCase() === 'identity') return;
  throw unsupported(
    `The content encoding ${JSON.stringify(encoding)} is not taken: send the body as it is, without Content-Encoding.`,
  );
}

/** Throws `unsupported_media_type` for a body that is not JSON in UTF-8 as it stands. */
export function requireJson(request: IncomingMessage): void {
  requireIdentity(request);
  const { headers } = request;
  const type = headers['content-type'] ?? '';
  if (type === 'application/json') return;
  const [essence = '', ...parameters] = type.split(';').map((part) => part.trim().toLowerCase());
  if (essence !== 'application/json') {
    throw unsupported(
      `The content type ${JSON.stringify(type)} is not taken: send JSON with "Content-Type: application/json".`,
    );
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && charset.replaceAll('"', '') !== 'utf-8') {
    throw unsupported(`The charset ${JSON.stringify(charset)} is not taken: send JSON in UTF-8.`);
  }
}

function malformed(message: string, details?: Record<string, unknown>): PlannerError {
  return new PlannerError('invalid_argument', message, details);
}

function unsupported(message: string): PlannerError {
  return new PlannerError('unsupported_media_type', message);
}

/** What `use` makes of a body's bytes, which are counted as held until then. Throws `payload_too_large`, and what `leaseBody` throws. */
export async function withBody<T>(
  request: IncomingMessage,
  bytesMax: number,
  use: (bytes: Buffer) => T | Promise<T>,
): Promise<T> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge(bytesMax);
  const lease = leaseBody(request);
  try {
    return await use(await readBytes(request, bytesMax, lease));
  } finally {
    lease.release();
  }
}

function readBytes(request: IncomingMessage, bytesMax: number, lease: BodyLease): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    try {
      length += chunk.length;
      if (length > bytesMax) throw tooLarge(bytesMax);
      lease.grow(chunk.length);
      chunks.push(chunk);
    } catch (error) {
      // What still arrives is let go unread by the server once the answer is sent.
      request.removeAllListeners('data');
      reject(error);
    }
  });
  request.once('end', () => resolve(Buffer.concat(chunks, length)));
  request.once('error', () => reject(malformed('The body ended before it was complete.')));
  return promise;
}

function tooLarge(bytesMax: number): PlannerError {
  return new PlannerError('payload_too_large', `The body is over ${bytesMax} bytes. Send less at a time.`, {
    bytes_max: bytesMax,
  });
}

/** Strict: a byte sequence that is no UTF-8 would otherwise be stored as something else than was sent. */
const decoder = new TextDecoder('utf-8', { fatal: true });

/** What was taken out of a body before it is parsed: so many bytes at this place. */
export interface Cut {
  readonly at: number;
  readonly length: number;
}

export function parseJson(bytes: Buffer, cut?: Cut): unknown {
  return atOnce(parsing(bytes, cut));
}

/** Each step of a body of 16 MiB takes up to 50 ms. */
function* parsing(bytes: Buffer, cut?: Cut): Steps<unknown> {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw malformed('The body is not UTF-8.');
  }
  yield;
  const members = countMembers(text);
  yield;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw notJson(text, error as SyntaxError, cut);
  }
  yield;
  rejectDuplicates(text, parsed, members);
  return parsed;
}

/** V8 does not always say where: the place is found by a parser that does. */
function notJson(text: string, error: SyntaxError, cut: Cut = { at: Infinity, length: 0 }): PlannerError {
  const found = firstError(text);
  if (found === undefined) return malformed(`The body is not JSON: ${error.message}.`);
  const before = text.slice(0, found).split('\n');
  const line = before.length;
  const lineStart = found - before.at(-1)!.length;
  // What was cut out has no line break.
  const column = found - lineStart + 1 + (cut.at >= lineStart && cut.at < found ? cut.length : 0);
  const position = found + (cut.at < found ? cut.length : 0);
  return malformed(
    `The body is not JSON: line ${line}, column ${column} (position ${position}) is not as JSON has it.`,
    {
      position,
      line,
      column,
    },
  );
}

function firstError(text: string): number | undefined {
  let found: number | undefined;
  const onError = (_code: number, offset: number): void => {
    found = offset;
    throw new Error('The first error ends the walk: a long body that is no JSON at all has millions.');
  };
  try {
    visit(text, { onError }, { disallowComments: true, allowTrailingComma: false });
  } catch {
    // Found, or nested too deep for the parser, which calls itself for each level: then the place is unknown.
  }
  return found;
}
