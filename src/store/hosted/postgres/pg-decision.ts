import type { Append, Appended, StoredText } from '../../record/log.ts';
import type { StoredTitle } from '../../record/title-search.ts';
import { jsonPieces } from '../../record/json-pieces.ts';
import { retry } from '../../../base/retry.ts';
import { inSlices, mapInSteps, type Steps } from '../../../base/slices.ts';
import { type Call, sizeOf, type WaitingAppend } from '../storage/append-queue.ts';
import {
  appendedProjects,
  appendStatement,
  changedTitles,
  missingStatement,
  placesStatement,
  repeatedStatement,
} from './pg-append.ts';
import type { PgConnection, Rows, Statement } from './pg-connection.ts';
import { ClosedError, ConnectionLostError, failureOf, NoServerError, violatedTable } from './pg-errors.ts';
import type { PgRequirements } from './pg-requirements.ts';
import { pauseMs, type RetryLimit } from './pg-retry.ts';
import type { PgTables } from './pg-schema.ts';
import { UnsafeLogError } from '../storage/unsafe-log-error.ts';

export interface DecisionDeps {
  readonly tables: PgTables;
  readonly requirements: PgRequirements;
  /** How long a database is looked for that decides, before the caller gets an unknown outcome. */
  readonly retries: RetryLimit;
  /** Counts outcomes that had to be looked up. */
  readonly unknown: { won: number; lost: number };
}

export const entryBytesMax = 64 * 1024 * 1024;

const conflict: Appended = { is: 'conflict' };

/** The decision of the calls of one statement: sends it until each call has an outcome. */
export class Decision {
  readonly #connection: PgConnection;
  readonly #deps: DecisionDeps;
  readonly #open: Set<Call>;
  /** The outcomes so far. */
  readonly outcomes = new Map<Call, Appended>();
  /** True if an earlier statement with the open calls may have been committed, or may still be. */
  #isUncertain = false;

  constructor(calls: readonly Call[], connection: PgConnection, deps: DecisionDeps) {
    this.#open = new Set(calls);
    this.#connection = connection;
    this.#deps = deps;
  }

  /** Resolves when every call is decided. Never rejects. */
  async run(): Promise<void> {
    const { retries } = this.#deps;
    let since: number | undefined;
    const mayRetry = (error: unknown): boolean => {
      since ??= retries.clock.monotonic();
      return this.#mayRetry(error) && !retries.isOver(since);
    };
    try {
      await retry({ clock: retries.clock, pauseMs, mayRetry }, async () => {
        while (this.#open.size > 0) await this.#attempt();
      });
    } catch (error) {
      this.#refuse(error as Error);
    }
  }

  #mayRetry(error: unknown): boolean {
    if (error instanceof NoServerError || error instanceof ConnectionLostError) return true;
    // Nothing was appended; but an earlier statement may have been executed, and its entries are acknowledged once that
    // is safe.
    if (error instanceof UnsafeLogError) return this.#isUncertain;
    // The node has closed the connection.
    if (error instanceof ClosedError) return false;
    // The answer that was in the way had expired.
    if (violatedTable(error) === 'answer') return true;
    const failure = failureOf(error);
    return failure === 'again' || (failure === 'read-only' && !this.#connection.isReadOnly);
  }

  async #attempt(): Promise<void> {
    if (this.#isUncertain) await this.#look([...this.#open], undefined);
    if (this.#open.size === 0) return;
    const calls = [...this.#open];
    for (const { appends } of calls) for (const append of appends) await complete(append);
    const rows = await this.#send(calls);
    if (rows === undefined) return;
    const appended = appendedProjects(rows, this.#deps.requirements);
    const absent: Call[] = [];
    for (const call of calls) {
      if (appended.has(call.appends[0]!.project)) this.#decide(call, ok(call));
      else absent.push(call);
    }
    if (this.#isUncertain) await this.#look(absent, conflict);
    else for (const call of absent) this.#decide(call, conflict);
  }

  /** Undefined if some calls were decided instead, because of the data stored with their entries. */
  async #send(calls: readonly Call[]): Promise<Rows | undefined> {
    try {
      return await this.#connection.query(appendStatement(this.#deps, calls));
    } catch (error) {
      if (error instanceof ConnectionLostError) this.#isUncertain = true;
      const table = violatedTable(error);
      // Entries that are appended together, one of which another node was quicker with.
      if (table === 'log' && calls[0]!.appends.length > 1) return [];
      const isFound =
        table === 'answer'
          ? await this.#blame(repeatedStatement, repeatOf)
          : table === 'blob_use' && (await this.#blame(missingStatement, missingOf));
      if (!isFound) throw error;
      return undefined;
    }
  }

  /**
   * Looks at the places of entries that may have been appended. `otherwise`: the outcome if nothing is there; undefined
   * if the entry is to be sent again then.
   */
  async #look(calls: readonly Call[], otherwise: Appended | undefined): Promise<void> {
    if (calls.length === 0) return;
    const places = await this.#connection.query(
      placesStatement(
        this.#deps,
        calls.map(({ appends }) => appends[0]!),
      ),
    );
    this.#deps.requirements.require(places[0]![1]);
    for (const [at, call] of calls.entries()) {
      const id = places[at]![0] as string | null;
      const outcome = id === null ? otherwise : id === call.appends[0]!.id ? ok(call) : conflict;
      if (outcome !== undefined) this.#decide(call, outcome);
    }
  }

  /**
   * Decides the calls because of which the statement was rolled back, and the later ones, which conflict. Returns
   * whether there are any. The others are sent again.
   */
  async #blame(
    statementOf: (tables: PgTables, appends: readonly WaitingAppend[]) => Statement,
    outcomeOf: (call: Call, found: ReadonlySet<string>) => Appended | undefined,
  ): Promise<boolean> {
    const calls = [...this.#open];
    const appends = calls.flatMap(({ appends: one }) => one);
    const rows = await this.#connection.query(statementOf(this.#deps.tables, appends));
    const found = new Set(rows.map(([id]) => id as string));
    let isFound = false;
    for (const call of calls) {
      const outcome = this.#open.has(call) ? outcomeOf(call, found) : undefined;
      if (outcome === undefined) continue;
      this.#decide(call, outcome);
      this.#decideBehind(call);
      isFound = true;
    }
    return isFound;
  }

  /** A chain is appended whole, because without one entry the later ones have no place. */
  #decideBehind({ appends }: Call): void {
    for (const call of [...this.#open])
      if (call.appends.some((later) => appends.some((one) => isBehind(later, one)))) this.#decide(call, conflict);
  }

  #refuse(why: Error): void {
    for (const call of [...this.#open]) this.#decide(call, { is: 'refused', why, isUndecided: this.#isUncertain });
  }

  #decide(call: Call, outcome: Appended): void {
    if (this.#isUncertain) this.#deps.unknown[outcome.is === 'ok' ? 'won' : 'lost']++;
    this.#open.delete(call);
    this.outcomes.set(call, outcome);
    call.resolve(outcome);
  }
}

function isBehind(later: Append, { project, after }: Append): boolean {
  return later.project === project && later.after.seq > after.seq;
}

function ok({ appends }: Call): Appended {
  const { after, id } = appends[0]!;
  return { is: 'ok', head: { seq: after.seq + 1, id } };
}

function repeatOf({ appends }: Call, stored: ReadonlySet<string>): Appended | undefined {
  const ids = appends.flatMap(({ beside }) => (beside?.answers ?? []).map(({ id }) => id));
  const answers = ids.filter((id) => stored.has(id));
  return answers.length > 0 ? { is: 'repeat', answers } : undefined;
}

function missingOf({ appends }: Call, missing: ReadonlySet<string>): Appended | undefined {
  const hashes = new Set(appends.flatMap(({ beside }) => beside?.blobs ?? []));
  const blobs = [...hashes].filter((sha256) => missing.has(sha256));
  return blobs.length > 0 ? { is: 'missing', blobs } : undefined;
}

/** Encodes a large body. Throws if it is too large: then it is in a statement of its own. */
async function complete(append: WaitingAppend): Promise<void> {
  if (append.bytes === undefined) {
    append.revisionBytes = await inSlices('append', encodedEach(append.beside?.revisions ?? []));
    append.textBytes = await inSlices('append', mapInSteps(append.beside?.texts ?? [], utf8Of));
    append.titleWords = await inSlices('append', mapInSteps(changedTitles(append), wordsOf));
    append.bytes = await encoded(append.body);
  }
  const size = sizeOf(append)!;
  if (size > entryBytesMax) throw new Error(`An entry of ${size} bytes is over ${entryBytesMax} bytes.`);
}

/** An append with its body and revisions as JSON, and its texts, in UTF-8. */
export function encodedNow(append: Append): WaitingAppend {
  const revisionBytes = append.beside?.revisions?.map(jsonOf) ?? [];
  const textBytes = append.beside?.texts?.map(utf8Of) ?? [];
  const titleWords = changedTitles(append).map(wordsOf);
  return { ...append, bytes: jsonOf(append.body), revisionBytes, textBytes, titleWords };
}

const wordsOf = ({ words }: StoredTitle): readonly string[] => words();

function utf8Of({ text }: StoredText): Uint8Array {
  return Buffer.from(text);
}

function jsonOf(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function* encodedEach(values: readonly unknown[]): Steps<readonly Uint8Array[]> {
  return yield* mapInSteps(values, jsonOf);
}

/** Encodes a large body in slices. */
async function encoded(body: unknown): Promise<Uint8Array> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return jsonOf(body);
  return Buffer.concat(await inSlices('append', piecesOf(body)));
}

function* piecesOf(body: object): Steps<readonly Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for (const piece of jsonPieces(body)) {
    pieces.push(Buffer.from(piece));
    yield;
  }
  return pieces;
}
