import { invalid } from '../../base/errors.ts';
import { limits } from '../../base/limits.ts';
import { deferred } from './deferred.ts';
import type { Context } from '../declaration/operation.ts';

/** A position in a list that is ordered by created_at, id. */
export interface Position {
  readonly created_at: string;
  readonly id: string;
}

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The rows of a page, and the cursor for the next page. */
export interface Page<W> {
  readonly rows: W[];
  readonly next_cursor?: string;
}

/** An opaque cursor that contains these texts. */
export function encodeCursor(parts: readonly string[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** The `count` texts in a cursor. Throws `invalid_argument` for a cursor that the service did not create. */
export function decodeCursor(cursor: string, count: number): string[] {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    parts = undefined;
  }
  const right = Array.isArray(parts) && parts.length === count && parts.every((part) => typeof part === 'string');
  if (!right)
    throw invalid('cursor', 'cursor is not valid for this list: pass next_cursor of the previous response unchanged.');
  return parts as string[];
}

/** Where a list continues after a cursor. */
export function positionAfter({ cursor }: PageQuery): Position | undefined {
  if (cursor === undefined) return undefined;
  const [created_at = '', id = ''] = decodeCursor(cursor, 2);
  return { created_at, id };
}

/** Bytes of a result for an agent besides its rows. */
const wrapping = 400;

export interface PageOptions<R, W> {
  readonly show: (row: R) => W;
  /** Rows are snapshots and `show` does not read the view: it may be called later, while the response is sent. */
  readonly snapshots?: true;
  /** The row's position, for the cursor. */
  readonly position: (row: R) => readonly string[];
  /** A smaller form of a row that alone exceeds the budget of an agent. */
  readonly lighter?: (row: R) => W;
  /** Bytes of JSON that an agent's rows may take. */
  readonly bytesMax?: number;
}

/**
 * The next rows of a list that already begins after the cursor. Over MCP the default of `limit` is 100 rows, and the
 * bytes are limited to an agent's context. Over the other transports the default is all rows.
 */
export function pageOf<R, W>(
  rows: Iterable<R>,
  query: PageQuery,
  { transport, streams }: Pick<Context, 'transport' | 'streams'>,
  options: PageOptions<R, W>,
): Page<W> {
  return transport === 'mcp' ? agentPage(rows, query, options) : wholePage(rows, query, options, streams);
}

function agentPage<R, W>(rows: Iterable<R>, query: PageQuery, options: PageOptions<R, W>): Page<W> {
  const most = query.limit ?? limits.agentListRows;
  let left = options.bytesMax ?? limits.agentAnswerBytesMax - wrapping;
  const taken: W[] = [];
  let last: R | undefined;
  for (const row of rows) {
    if (taken.length >= most) return { rows: taken, next_cursor: encodeCursor(options.position(last!)) };
    let shown = options.show(row);
    let bytes = bytesOf(shown);
    if (bytes > left && taken.length > 0) return { rows: taken, next_cursor: encodeCursor(options.position(last!)) };
    if (bytes > left && options.lighter !== undefined) bytes = bytesOf((shown = options.lighter(row)));
    left -= bytes;
    taken.push(shown);
    last = row;
  }
  return { rows: taken };
}

function wholePage<R, W>(
  rows: Iterable<R>,
  { limit = Infinity }: PageQuery,
  { show, snapshots, position }: PageOptions<R, W>,
  streams = false,
): Page<W> {
  const taken: R[] = [];
  let more = {};
  for (const row of rows) {
    if (taken.length >= limit) {
      more = { next_cursor: encodeCursor(position(taken.at(-1)!)) };
      break;
    }
    taken.push(row);
  }
  if (streams && snapshots === true) return { rows: deferred(taken, show), ...more };
  const shown = taken.map(show);
  return { rows: streams ? deferred(shown, (row) => row) : shown, ...more };
}

/** The length as JSON, with the following comma. */
function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}

/** The position of a record in its list. */
export function positionOf({ created_at, id }: Position): readonly string[] {
  return [created_at, id];
}

/** `{next_cursor}` if there is one, to be spread into a result. */
export function nextCursor({ next_cursor: cursor }: Page<unknown>): { readonly next_cursor?: string } {
  return cursor === undefined ? {} : { next_cursor: cursor };
}
