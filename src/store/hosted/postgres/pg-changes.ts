import type { Changes, EntryName } from '../storage/shared-log.ts';
import { commitBarrier } from './pg-append.ts';
import type { Rows, Statement } from './pg-connection.ts';
import type { PgRequirements } from './pg-requirements.ts';
import type { PgTables } from './pg-schema.ts';

/** More entries than these are not worth listing: each head is asked for then. */
const entriesMax = 2_000;

/**
 * A snapshot of the server: the transactions from `next` on, and the `open` ones, were not visible in it. Every other one
 * had ended, so that its entries were.
 */
interface Seen {
  /** The server process and its history, and the table: under another one, numbers of transactions have another meaning. */
  readonly server: string;
  readonly next: bigint;
  readonly open: readonly string[];
}

/** No transaction has this number. */
const never = (1n << 64n) - 1n;

interface ChangesDeps {
  readonly tables: PgTables;
  readonly requirements: PgRequirements;
  readonly isBarrier: boolean;
  /** SQL: the time in milliseconds since the epoch. */
  readonly now: string;
}

/**
 * One row for each entry of the transactions that `mark` did not see; one without an entry if there are none. The number
 * of a transaction is in each row of the log, under an index. Those that were open are looked up one by one, so that a
 * transaction that stays open costs a look-up and not all that came after it.
 *
 * Rows that were loaded from a dump have numbers of another server, which may be higher than any of this one: the upper
 * bound leaves them out. The order and the limit keep the planner from reading the whole log.
 */
export function changesStatement(
  { tables, requirements, isBarrier, now }: ChangesDeps,
  mark: string | undefined,
): Statement {
  const log = tables.of('log');
  const { next, open } = mark === undefined ? { next: never, open: [] } : seenIn(mark);
  return {
    name: `planner_changes${isBarrier ? '_barrier' : ''}`,
    text: `SELECT ${now}, pg_is_in_recovery(), ${requirements.unmet}, ${serverColumn(tables)}, pg_current_snapshot()::text,
        changed.project, changed.seq::float8, changed.id${isBarrier ? ', barrier.lsn' : ''}
      FROM ${isBarrier ? commitBarrier(requirements) : '(SELECT 1) one'} LEFT JOIN (
        (SELECT l.project, l.seq, l.id FROM ${log} l
          WHERE l.xact >= $1::xid8 AND l.xact < pg_snapshot_xmax(pg_current_snapshot()) ORDER BY l.xact LIMIT ${entriesMax + 1})
        UNION ALL
        (SELECT was_open.* FROM unnest($2::xid8[]) AS x (xact)
          CROSS JOIN LATERAL (SELECT l.project, l.seq, l.id FROM ${log} l WHERE l.xact = x.xact LIMIT ${entriesMax + 1}) was_open)
      ) changed ON true`,
    values: [String(next), open],
  };
}

/**
 * A restart, a fail-over and a restored backup start another process or another timeline; a dump that is loaded in place of
 * the table has another file.
 */
function serverColumn(tables: PgTables): string {
  const table = `'${tables.of('log').replaceAll("'", "''")}'::regclass`;
  return `extract(epoch FROM pg_postmaster_start_time()) || '/' || pg_relation_filenode(${table}) || '/' ||
    CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END`;
}

type ChangesRow = readonly [
  now: number,
  isStandby: boolean,
  unmet: string | null,
  server: string,
  snapshot: string,
  project: string | null,
  seq: number,
  id: string,
];

/** `session`: distinguishes the connections of a node, since a lost one may lead to another server. */
export function changesIn(
  rows: Rows,
  mark: string | undefined,
  session: number,
): Pick<Changes, 'entries' | 'mark' | 'now'> {
  const [[now, , , server, snapshot]] = rows as readonly ChangesRow[] as readonly [ChangesRow];
  const next = `${session}/${server} ${snapshot}`;
  return { now, mark: next, entries: continues(mark, next) ? entriesIn(rows) : undefined };
}

function entriesIn(rows: Rows): readonly EntryName[] | undefined {
  const entries: EntryName[] = [];
  for (const [, , , , , project, seq, id] of rows as readonly ChangesRow[])
    if (project !== null) entries.push({ project, seq, id });
  return entries.length > entriesMax ? undefined : entries;
}

/** False if a server has gone back, too: a machine may be continued from an image. */
function continues(mark: string | undefined, next: string): boolean {
  if (mark === undefined) return false;
  const [before, now] = [seenIn(mark), seenIn(next)];
  return before.server === now.server && before.next <= now.next;
}

/** A mark is the server and the text of a snapshot: `xmin:xmax:xip,xip`. */
function seenIn(mark: string): Seen {
  const [server, snapshot] = mark.split(' ') as [string, string];
  const [, next, open] = snapshot.split(':') as [string, string, string];
  return { server, next: BigInt(next), open: open === '' ? [] : open.split(',') };
}
