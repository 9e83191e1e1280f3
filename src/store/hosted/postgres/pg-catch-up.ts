import { PlannerError } from '../../../base/errors.ts';
import { inSlices, type Steps } from '../../../base/slices.ts';
import type { CaughtUp, Entry, Head } from '../../record/log.ts';
import type { Changes } from '../storage/shared-log.ts';
import { bodyVersion, commitBarrier } from './pg-append.ts';
import { changesIn, changesStatement } from './pg-changes.ts';
import type { PgConnection, Rows, Statement } from './pg-connection.ts';
import { ClosedError, ConnectionLostError } from './pg-errors.ts';
import type { PgRequirements } from './pg-requirements.ts';
import { type RetryLimit, untilAnswered } from './pg-retry.ts';
import type { PgTables } from './pg-schema.ts';

/**
 * The state that a read sees. `primary`: the primary's state. `barrier`: that state once it is replicated, so that no
 * fail-over loses it; this takes a commit.
 */
export type Reads = 'primary' | 'barrier';

/** The limits of one answer: entries of one project, and bytes of all. At least one entry is in it. */
const entriesMax = 500;
const bytesMax = 8 * 1024 * 1024;

export interface CatchUpDeps {
  readonly tables: PgTables;
  readonly requirements: PgRequirements;
  readonly reads: Reads;
  readonly retries: RetryLimit;
}

/** A caller that waits for entries after known heads, or for whether a call has an answer. */
interface Caller {
  readonly known: ReadonlyMap<string, Head>;
  readonly answer: string | undefined;
  readonly resolve: (found: CaughtUp, isAnswered: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** A caller that waits for what was appended to any log since a mark. */
interface ChangesCaller extends PromiseWithResolvers<Changes> {
  readonly mark: string | undefined;
}

/** The entries after one known head. */
interface Behind {
  readonly entries: readonly Entry[];
  readonly more: boolean;
  readonly trimmed: boolean;
  readonly forked: boolean;
}

/**
 * Asks for entries after known heads, and for what was appended to any log. Callers that wait while one statement is
 * under way share the next. If there was nothing the last time, it is asked first whether there is anything: this takes a
 * fraction of the time of reading the entries.
 */
export class PgCatchUps {
  readonly #connection: PgConnection;
  readonly #deps: CatchUpDeps;
  #wasBehind = true;
  #waiting: Caller[] = [];
  #waitingForChanges: ChangesCaller[] = [];
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(connection: PgConnection, deps: CatchUpDeps) {
    this.#connection = connection;
    this.#deps = deps;
  }

  ask(known: ReadonlyMap<string, Head>): Promise<CaughtUp> {
    const { promise, resolve, reject } = Promise.withResolvers<CaughtUp>();
    this.#add({ known, answer: undefined, resolve, reject });
    return promise;
  }

  /** See `SharedLog`. */
  changes(mark: string | undefined): Promise<Changes> {
    const caller = { mark, ...Promise.withResolvers<Changes>() };
    if (this.#isClosed) caller.reject(new ClosedError());
    else {
      this.#waitingForChanges.push(caller);
      this.#running ??= this.#run();
    }
    return caller.promise;
  }

  /** Returns whether an answer is stored and has not expired. */
  isAnswered(answer: string): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    this.#add({ known: new Map(), answer, resolve: (_found, isAnswered) => resolve(isAnswered), reject });
    return promise;
  }

  /** Resolves when every caller has an answer: those who wait, and all later ones, an error. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection.close();
    await this.#running;
  }

  #add(caller: Caller): void {
    if (this.#isClosed) return caller.reject(new ClosedError());
    this.#waiting.push(caller);
    this.#running ??= this.#run();
  }

  async #run(): Promise<void> {
    // Callers of the current turn of the event loop share the first statement.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0 || this.#waitingForChanges.length > 0) {
      const callers = this.#waiting.splice(0);
      const ofChanges = this.#waitingForChanges.splice(0);
      try {
        if (callers.length > 0) await this.#answer(callers);
      } catch (error) {
        for (const { reject } of callers) reject(error);
      }
      for (const { mark, resolve, reject } of ofChanges) await this.#changes(mark).then(resolve, reject);
    }
    this.#running = undefined;
  }

  async #changes(mark: string | undefined): Promise<Changes> {
    const { tables, requirements, reads } = this.#deps;
    const deps = { tables, requirements, isBarrier: reads === 'barrier', now: nowColumn };
    const rows = await this.#rows(changesStatement(deps, mark));
    const unsafe = requirements.errorOf(rows[0]![unmetColumn]);
    return { ...changesIn(rows, mark, this.#connection.sessions), ...(unsafe && { unsafe }) };
  }

  async #answer(callers: readonly Caller[]): Promise<void> {
    const asked = new AskedHeads(callers.map(({ known }) => known));
    const answers = [...new Set(callers.map(({ answer }) => answer).filter((answer) => answer !== undefined))];
    let behind: ReadonlyMap<number, Behind> = new Map();
    let [row] = this.#wasBehind ? [] : await this.#rows(headsStatement(this.#deps, asked, answers));
    let answeredAt = headsColumns;
    if (row === undefined || row[isBehindColumn] === true) {
      const rows = await this.#rows(catchUpStatement(this.#deps, asked, answers));
      [row] = rows;
      answeredAt = entryColumns;
      behind = await inSlices('catch-up', behindHeads(rows, asked));
      this.#wasBehind = behind.size > 0;
    }
    const now = row![0] as number;
    const unsafe = this.#deps.requirements.errorOf(row![unmetColumn]);
    const answered = new Set(answers.length === 0 ? [] : (row![answeredAt] as readonly string[]));
    for (const { known, answer, resolve } of callers)
      resolve(
        { ...caughtUp(known, asked, behind, now), ...(unsafe && { unsafe }) },
        answer !== undefined && answered.has(answer),
      );
  }

  #rows(statement: Statement): Promise<Rows> {
    return untilAnswered(this.#deps.retries, async () => {
      const rows = await this.#connection.query(statement);
      const [, isStandby, unmet] = rows[0]!;
      // The read state may be lost with this server.
      if (this.#deps.reads === 'barrier') this.#deps.requirements.require(unmet);
      if (isStandby === false) return rows;
      // A pooler uses another server by now.
      await this.#connection.drop();
      throw new ConnectionLostError('The server is a standby.');
    });
  }
}

/** The known heads of several callers, each once. */
class AskedHeads {
  readonly heads: { readonly project: string; readonly seq: number; readonly id: string | null }[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(all: readonly ReadonlyMap<string, Head>[]) {
    for (const known of all) for (const [project, head] of known) this.#add(project, head);
  }

  /** The number of a head, by which the answer names it. */
  numberOf(project: string, { seq, id }: Head): number {
    return this.#numbers.get(keyOf(project, seq, id))!;
  }

  #add(project: string, { seq, id }: Head): void {
    const key = keyOf(project, seq, id);
    if (this.#numbers.has(key)) return;
    this.#numbers.set(key, this.heads.length);
    this.heads.push({ project, seq, id });
  }
}

function keyOf(project: string, seq: number, id: string | null): string {
  return `${seq} ${id} ${project}`;
}

/** A row of the answer that has the time alone: no known head has entries after it. */
type FoundRow = readonly [
  now: number,
  isStandby: boolean,
  /** The requirement of the server that is not met. */
  unmet: string | null,
  number: number | null,
  /** The id at the known head; null if it is not there. */
  here: string | null,
  later: number,
  seq: number | null,
  id: string,
  prevId: string | null,
  version: number,
  /** Null if the answer is full. */
  body: string | null,
  /** If it was asked: the ids of the answers that are stored, the same in each row. */
  answered?: readonly string[],
];

const entryColumns = 11;
const unmetColumn = 2;
const laterColumn = 5;
const bodyColumn = 10;

/**
 * The columns of the answer about new entries: the time, whether the server is a standby, its unmet requirement, and
 * whether there are entries.
 */
const headsColumns = 4;
const isBehindColumn = 3;

/**
 * One row: whether a known head is not the last entry of its log. The last entry is a scalar subquery, as in the
 * statement that reads the entries.
 */
function headsStatement(
  { tables, reads, requirements }: CatchUpDeps,
  { heads }: AskedHeads,
  answers: readonly string[],
): Statement {
  const isBarrier = reads === 'barrier';
  const hasAnswers = answers.length > 0;
  return {
    name: `planner_heads${isBarrier ? '_barrier' : ''}${hasAnswers ? '_answered' : ''}`,
    text: `SELECT ${nowColumn}, pg_is_in_recovery(), ${requirements.unmet}, EXISTS (
        SELECT FROM unnest($1::text[], $2::text[]) AS k (project, id) WHERE k.id IS DISTINCT FROM (
          SELECT l.id FROM ${tables.of('log')} l WHERE l.project = k.project ORDER BY l.seq DESC LIMIT 1))
        ${hasAnswers ? `, ${storedAnswers(tables, '$3')}` : ''}${isBarrier ? `, barrier.lsn FROM ${commitBarrier(requirements)}` : ''}`,
    values: [heads.map(({ project }) => project), heads.map(({ id }) => id), ...(hasAnswers ? [answers] : [])],
  };
}

/** The time in milliseconds since the epoch. */
const nowColumn = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::float8';

/** The answers in a parameter that are stored and have not expired. */
function storedAnswers(tables: PgTables, parameter: string): string {
  return `ARRAY(SELECT x.id FROM unnest(${parameter}::text[]) AS x (id)
    WHERE (SELECT a.expires_at FROM ${tables.of('answer')} a WHERE a.id = x.id) > clock_timestamp())`;
}

/**
 * One row for each entry after the known heads, in the order of the heads, and for heads that are not in the log; a row
 * with only the time if there are no entries. If all of it is too much, every project gets its first entries. The id at
 * a head is a scalar subquery: a join may become a scan of the whole log, and stay one for as long as the statement is
 * prepared. So is when an answer expires, and entries are read head by head (`OFFSET 0`), by the range of their
 * sequences: with a limit instead, all remaining entries may be sorted for each part.
 */
function catchUpStatement(
  { tables, reads, requirements }: CatchUpDeps,
  { heads }: AskedHeads,
  answers: readonly string[],
): Statement {
  const log = tables.of('log');
  const isBarrier = reads === 'barrier';
  const hasAnswers = answers.length > 0;
  return {
    name: `planner_catch_up${isBarrier ? '_barrier' : ''}${hasAnswers ? '_answered' : ''}`,
    text: `SELECT ${nowColumn}, pg_is_in_recovery(), ${requirements.unmet}, found.number::int,
        found.here, found.later::int, found.seq::float8, found.id, found.prev_id, found.v,
        CASE WHEN found.before < $5::bigint AND found.nth <= $4::bigint THEN convert_from(found.body, 'UTF8') END
        ${hasAnswers ? `, ${storedAnswers(tables, '$6')}` : ''}${isBarrier ? ', barrier.lsn' : ''}
      FROM ${isBarrier ? commitBarrier(requirements) : '(SELECT 1) one'} LEFT JOIN (
        SELECT *, sum(bytes) OVER (ORDER BY nth, number) - bytes AS before FROM (
          SELECT k.number, here.id AS here, e.seq, e.id, e.prev_id, e.v, e.body, coalesce(octet_length(e.body), 0) AS bytes,
            row_number() OVER (PARTITION BY k.number ORDER BY e.seq) AS nth,
            count(e.seq) OVER (PARTITION BY k.number) AS later
          FROM unnest($1::text[], $2::bigint[], $3::text[]) WITH ORDINALITY AS k (project, seq, id, number)
          CROSS JOIN LATERAL (SELECT
            (SELECT l.id FROM ${log} l WHERE l.project = k.project AND l.seq = k.seq) AS id,
            (SELECT l.seq FROM ${log} l WHERE l.project = k.project AND l.seq > k.seq ORDER BY l.seq LIMIT 1) AS next OFFSET 0) here
          LEFT JOIN LATERAL (SELECT * FROM ${log} l
            WHERE l.project = k.project AND l.seq >= here.next AND l.seq <= here.next + $4::bigint OFFSET 0) e ON true
          WHERE e.seq IS NOT NULL OR (k.seq > 0 AND here.id IS DISTINCT FROM k.id)
        ) entry
      ) found ON found.nth = 1 OR found.before < $5::bigint AND found.nth <= $4::bigint
      ORDER BY found.number, found.nth`,
    values: [
      heads.map(({ project }) => project),
      heads.map(({ seq }) => seq),
      heads.map(({ id }) => id),
      entriesMax,
      bytesMax,
      ...(hasAnswers ? [answers] : []),
    ],
  };
}

/** The entries after each head, by its number; without the current heads. */
function* behindHeads(rows: Rows, { heads }: AskedHeads): Steps<ReadonlyMap<number, Behind>> {
  const found = new Map<number, FoundRow[]>();
  for (const row of rows as readonly FoundRow[]) {
    const [, , , number] = row;
    if (number === null) continue;
    const same = found.get(number - 1);
    if (same === undefined) found.set(number - 1, [row]);
    else same.push(row);
  }
  const behind = new Map<number, Behind>();
  for (const [number, ofHead] of found) {
    const head = heads[number]!;
    const state = stateOf(head, ofHead[0]!);
    const entries: Entry[] = [];
    if (state === undefined)
      for (const row of ofHead) {
        if (row[bodyColumn] === null) continue;
        entries.push(entryOf(head.project, row));
        yield;
      }
    behind.set(number, {
      entries,
      more: state === undefined && entries.length < ofHead[0]![laterColumn],
      trimmed: state === 'trimmed',
      forked: state === 'forked',
    });
  }
  return behind;
}

/** The state of a head that the entries do not continue; undefined if they do. */
function stateOf({ seq: known, id }: Head, first: FoundRow): 'trimmed' | 'forked' | undefined {
  const [, , , , here, , seq, , prevId] = first;
  if (seq === null) return 'forked';
  if (known > 0 && here !== null && here !== id) return 'forked';
  if (seq > known + 1) return 'trimmed';
  return prevId === id ? undefined : 'forked';
}

function entryOf(project: string, [, , , , , , seq, id, prevId, version, body]: FoundRow): Entry {
  if (version > bodyVersion)
    throw new PlannerError(
      'unavailable',
      `Entry ${seq} of ${project} has version ${version}, written by a newer Planner: upgrade this node.`,
    );
  return { project, seq: seq!, id, prevId, body: JSON.parse(body!) as unknown };
}

function caughtUp(
  known: ReadonlyMap<string, Head>,
  asked: AskedHeads,
  behind: ReadonlyMap<number, Behind>,
  now: number,
): CaughtUp {
  const found = { entries: [] as Entry[], more: [] as string[], trimmed: [] as string[], forked: [] as string[] };
  for (const [project, head] of known) {
    const one = behind.get(asked.numberOf(project, head));
    if (one === undefined) continue;
    found.entries.push(...one.entries);
    if (one.more) found.more.push(project);
    if (one.trimmed) found.trimmed.push(project);
    if (one.forked) found.forked.push(project);
  }
  return { ...found, now };
}
