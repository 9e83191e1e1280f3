import { type Clock, systemClock } from '../../../base/clock.ts';
import { conflict } from '../../../base/errors.ts';
import { retry } from '../../../base/retry.ts';
import type { Append, Appended, CaughtUp, Head, LogTraits } from '../../record/log.ts';
import { AppendQueue, type Batch, type Call } from '../storage/append-queue.ts';
import { type Reads, PgCatchUps } from './pg-catch-up.ts';
import { checkDatabase } from './pg-check.ts';
import { PgConnection } from './pg-connection.ts';
import { Decision, type DecisionDeps, encodedNow, entryBytesMax } from './pg-decision.ts';
import { ContestedProjects } from '../storage/contested-projects.ts';
import type { Changes, SharedLog } from '../storage/shared-log.ts';
import { PgTables, prepareDatabase } from './pg-schema.ts';
import { ClosedError, ConnectionLostError, failureOf, NoServerError } from './pg-errors.ts';
import { type Durability, PgRequirements } from './pg-requirements.ts';
import { RetryLimit } from './pg-retry.ts';
import { PgServers } from './pg-servers.ts';

export interface PgLogOptions {
  /** `postgres://user:password@host1:5432,host2:5432/database`: the hosts of the primary and its standbys. */
  readonly url: string;
  /** The schema of the workspace's tables. Default `planner`. */
  readonly schema?: string;
  /** Default: the system's. */
  readonly clock?: Clock;
  /** The failures that a commit has to survive. Default `replicated`. */
  readonly durability?: Durability;
  /** Default `primary`. */
  readonly reads?: Reads;
  /** How long the outcome of an append is looked for while no server can be asked. Default 30 s. */
  readonly resolveMs?: number;
  /** A connection without an answer for this long is given up. Default 10 s. */
  readonly answerMs?: number;
  /** How long connecting to one server may take. Default 3 s. */
  readonly connectMs?: number;
  /** True if statements are prepared: false for a pooler that cannot. Default true. */
  readonly prepare?: boolean;
}

/** The options with their defaults. */
export function settledOptions({
  url,
  schema = 'planner',
  clock = systemClock,
  durability = 'replicated',
  reads = 'primary',
  resolveMs = 30_000,
  answerMs = 10_000,
  connectMs = 3_000,
  prepare = true,
}: PgLogOptions): Required<PgLogOptions> {
  return { url, schema, clock, durability, reads, resolveMs, answerMs, connectMs, prepare };
}

/** Statements under way with appends. */
const lanes = 2;

/**
 * The log of one node over PostgreSQL, which other nodes append to, too. The primary key decides who appends an entry; no
 * node needs to know of others.
 */
export class PgLog implements SharedLog {
  readonly traits: LogTraits;
  readonly unknown = { won: 0, lost: 0 };
  /** The lowest version of the tables that a program had to know to use them when this one started. */
  readonly programs: number;
  readonly #deps: DecisionDeps;
  readonly #queue = new AppendQueue();
  readonly #idle: PgConnection[];
  readonly #connections: readonly PgConnection[];
  readonly #catchUps: PgCatchUps;
  readonly #gate: PgConnection;
  readonly #contested: ContestedProjects;
  #isScheduled = false;
  #isClosed = false;
  #onIdle: (() => void) | undefined;

  /**
   * Connects, checks the database, and creates missing tables. Throws `conflict` if the database is unsuitable, and
   * `NoServerError` if no server takes writes.
   */
  static async open(options: PgLogOptions, retries?: RetryLimit): Promise<PgLog> {
    const settled = settledOptions(options);
    const { url, schema, durability } = settled;
    const servers = new PgServers(url, settled);
    const connect = (): PgConnection => new PgConnection(servers, settled);
    const connection = connect();
    const tables = new PgTables(schema);
    const requirements = new PgRequirements(durability, tables);
    let programs: number;
    try {
      programs = await unlessLost(settled.clock, async () => {
        await checkDatabase(connection, requirements, durability);
        return prepareDatabase(connection, tables, settled.clock);
      });
    } catch (error) {
      await connection.close();
      throw atStart(error, tables);
    }
    const deps = { tables, requirements, programs, retries: retries ?? new RetryLimit(settled) };
    return new PgLog(settled, deps, [connection, ...Array.from({ length: lanes }, connect)]);
  }

  private constructor(
    { clock, durability, reads }: Required<PgLogOptions>,
    { programs, ...deps }: { readonly programs: number } & Omit<DecisionDeps, 'unknown'>,
    [gate, ...others]: readonly [PgConnection, ...PgConnection[]],
  ) {
    this.programs = programs;
    this.traits = { shared: true, durability: durability === 'disk' ? 'disk' : 'replicated', entryBytesMax };
    this.#deps = { ...deps, unknown: this.unknown };
    this.#contested = new ContestedProjects(clock);
    this.#connections = others;
    this.#idle = [...others];
    this.#catchUps = new PgCatchUps(gate, { ...deps, reads });
    this.#gate = gate;
  }

  append(append: Append): Promise<Appended> {
    return this.#append([append]);
  }

  appendTogether(appends: readonly Append[]): Promise<Appended> {
    return this.#append(appends);
  }

  catchUp(known: ReadonlyMap<string, Head>): Promise<CaughtUp> {
    return this.#catchUps.ask(known);
  }

  changes(mark: string | undefined): Promise<Changes> {
    return this.#catchUps.changes(mark);
  }

  /** Returns whether the answer to a call is stored and has not expired. */
  isAnswered(id: string): Promise<boolean> {
    return this.#catchUps.isAnswered(id);
  }

  /** See `PgConnection`. */
  hasten(ms: number): void {
    for (const connection of [this.#gate, ...this.#connections]) connection.hasten(ms);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#isBusy()) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await Promise.all([this.#catchUps.close(), ...this.#connections.map((connection) => connection.close())]);
  }

  #append(appends: readonly Append[]): Promise<Appended> {
    if (this.#isClosed) return Promise.resolve({ is: 'refused', why: new ClosedError(), isUndecided: false });
    // Only the first entry of a log has no predecessor.
    if (appends.some(({ after }) => (after.seq === 0) !== (after.id === null)))
      return Promise.resolve({ is: 'conflict' });
    const waiting = appends.map((append) =>
      append.large === true
        ? { ...append, bytes: undefined, revisionBytes: [], textBytes: [], titleWords: [] }
        : encodedNow(append),
    );
    const { promise, resolve } = Promise.withResolvers<Appended>();
    this.#queue.add({ appends: waiting, resolve });
    this.#schedule();
    return promise;
  }

  #isBusy(): boolean {
    return !this.#queue.isEmpty || this.#idle.length < this.#connections.length;
  }

  /** Appends of the current turn of the event loop share the next statement. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#idle.length > 0) {
        const batch = this.#queue.take();
        if (batch === undefined) break;
        void this.#run(batch, this.#idle.pop()!);
      }
      if (!this.#isBusy()) this.#onIdle?.();
    });
  }

  async #run(batch: Batch, connection: PgConnection): Promise<void> {
    const decision = new Decision(batch.calls, connection, this.#deps);
    for (const { project } of batch.calls.flatMap(({ appends }) => appends)) this.#contested.sent(project);
    await decision.run();
    this.#decideWaiting(decision.outcomes);
    this.#queue.done(batch, this.#rest(decision.outcomes));
    this.#idle.push(connection);
    this.#schedule();
  }

  /** The projects that rest, until others may have appended to them. */
  #rest(outcomes: ReadonlyMap<Call, Appended>): ReadonlySet<string> {
    const resting = new Set<string>();
    for (const [{ appends }, { is }] of outcomes)
      for (const { project } of appends) {
        if (is === 'conflict') this.#contested.lost(project);
        const ms = is === 'ok' && !resting.has(project) ? this.#contested.rest(project) : undefined;
        if (ms === undefined) continue;
        resting.add(project);
        this.#deps.retries.clock.after(ms, () => {
          this.#queue.rested(project);
          this.#schedule();
        });
      }
    return resting;
  }

  /**
   * Decides waiting calls whose outcome is known: entries after a refused one, which must not be appended if the
   * refused one turns out to exist, and entries at places that are taken.
   */
  #decideWaiting(outcomes: ReadonlyMap<Call, Appended>): void {
    if (this.#queue.isEmpty) return;
    const heads = new Map<string, Head>();
    const refused = new Map<string, number>();
    let why: Error | undefined;
    for (const [{ appends }, outcome] of outcomes) {
      for (const { project, after, id } of appends) {
        const seq = after.seq + 1;
        if (outcome.is === 'ok') heads.set(project, { seq, id });
        if (outcome.is === 'refused') refused.set(project, seq);
      }
      if (outcome.is === 'refused') ({ why } = outcome);
    }
    const isBehind = ({ project, after }: Append): boolean => after.seq >= (refused.get(project) ?? Infinity);
    for (const call of this.#queue.remove(isBehind)) call.resolve({ is: 'refused', why: why!, isUndecided: false });
    const isTaken = ({ project, after }: Append): boolean => {
      const head = heads.get(project);
      return head !== undefined && (after.seq < head.seq || (after.seq === head.seq && after.id !== head.id));
    };
    for (const call of this.#queue.remove(isTaken)) call.resolve({ is: 'conflict' });
  }
}

/** The error for an operator. */
function atStart(error: unknown, { schema }: PgTables): unknown {
  if (error instanceof NoServerError) return error.withReasons;
  if (failureOf(error) !== 'failed') return error;
  const remedy = 'Give its user the right to create it, or name another schema (PLANNER_DATABASE_SCHEMA).';
  return conflict(
    `The database does not let the tables in the schema ${schema} be used: ${(error as Error).message}. ${remedy}`,
  );
}

/** A server may be lost, or fail over, while a node starts: then it is looked for again, a few times. */
function unlessLost<T>(clock: Clock, work: () => Promise<T>): Promise<T> {
  const mayRetry = (error: unknown, failures: number): boolean =>
    error instanceof ConnectionLostError && failures < attemptsMax;
  return retry({ clock, pauseMs: (failures) => retryMs * failures, mayRetry }, work);
}

const attemptsMax = 5;
const retryMs = 50;
