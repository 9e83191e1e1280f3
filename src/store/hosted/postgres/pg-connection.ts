import type { QueryArrayConfig } from 'pg';
import type { Clock, Timer } from '../../../base/clock.ts';
import { endClient } from './pg-client.ts';
import { ClosedError, ConnectionLostError, failureOf, isUnreplicated } from './pg-errors.ts';
import type { FoundServer, PgServers } from './pg-servers.ts';

export interface Statement {
  /** Prepared under this name, once for each connection. The same name always has the same text. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The rows of an answer, each as the list of its values. */
export type Rows = readonly (readonly unknown[])[];

export interface ConnectionOptions {
  readonly clock: Clock;
  /** True if statements are prepared: not through a pooler that cannot. */
  readonly prepare: boolean;
  /** A connection without an answer for this long is given up. */
  readonly answerMs: number;
}

/**
 * A connection to the server that takes writes, made when it is first used and again after it was lost, until it is
 * closed. It has no session state: a pooler may execute each statement in another session. One statement at a time.
 */
export class PgConnection {
  readonly #servers: PgServers;
  readonly #options: ConnectionOptions;
  readonly #closing = new AbortController();
  #found: FoundServer | undefined;
  #answerMs: number;
  /** Gives up the statement in progress. */
  #timer: Timer | undefined;
  #isUnreplicated = false;
  #isReadOnly = false;
  /** How often it was connected. */
  sessions = 0;

  constructor(servers: PgServers, options: ConnectionOptions) {
    this.#servers = servers;
    this.#options = options;
    this.#answerMs = options.answerMs;
  }

  /** True if the server that was connected last takes no writes, although it is no standby. */
  get isReadOnly(): boolean {
    return this.#isReadOnly;
  }

  /**
   * Throws `NoServerError` or `ClosedError` if nothing was sent, `ConnectionLostError` if the outcome is unknown or not
   * replicated, and `DatabaseError` with the answer of the server.
   */
  query({ name, text, values }: Statement): Promise<Rows> {
    const query = { text, values: [...values], rowMode: 'array' as const };
    return this.#execute(this.#options.prepare ? { ...query, name } : query);
  }

  /** Executes several statements, which have no parameters, as one transaction. Throws as `query` does. */
  async run(text: string): Promise<void> {
    await this.#execute({ text, rowMode: 'array' });
  }

  /**
   * Executes what `work` does with the functions that it gets as one transaction, over one session. It is rolled back if
   * `work` throws, or if the session is lost. Throws as `query` does.
   */
  async transaction<T>(work: (session: Pick<PgConnection, 'query' | 'run'>) => Promise<T>): Promise<T> {
    await this.run('BEGIN');
    const begun = this.#found;
    const within = <R>(send: () => Promise<R>): Promise<R> => {
      // Another session would execute it outside of the transaction.
      if (begun === undefined || this.#found !== begun)
        throw new ConnectionLostError('The connection was lost within a transaction.');
      return send();
    };
    try {
      const result = await work({
        query: (statement) => within(() => this.query(statement)),
        run: (statements) => within(() => this.run(statements)),
      });
      await within(() => this.run('COMMIT'));
      return result;
    } catch (error) {
      // The server rolls back the open transaction of a session.
      this.#drop();
      throw error;
    }
  }

  async #execute(query: QueryArrayConfig): Promise<Rows> {
    const { client } = (this.#found ??= await this.#connect());
    this.#isUnreplicated = false;
    this.#giveUpIn(this.#answerMs);
    try {
      const { rows } = await client.query<unknown[]>(query);
      if (!this.#isUnreplicated) return rows;
    } catch (error) {
      if (failureOf(error) !== 'lost') {
        // Another server may take writes by now, or another session have the prepared statements.
        if (failureOf(error) !== 'failed') this.#drop();
        throw error;
      }
      this.#drop();
      throw new ConnectionLostError((error as Error).message, { cause: error });
    } finally {
      this.#timer?.cancel();
      this.#timer = undefined;
    }
    throw new ConnectionLostError('The commit may not have been replicated: the wait for the standby was cancelled.');
  }

  /** The node ends: the statement in progress has `ms` from now, and so has each later one from when it is sent. */
  hasten(ms: number): void {
    this.#answerMs = Math.min(this.#answerMs, ms);
    if (this.#timer !== undefined) this.#giveUpIn(this.#answerMs);
  }

  #giveUpIn(ms: number): void {
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(ms, () => this.#drop());
  }

  /** The next statement connects again. Resolves once the server knows, or after a second. */
  async drop(): Promise<void> {
    const found = this.#found;
    this.#found = undefined;
    if (found !== undefined) await endClient(found.client, this.#options.clock);
  }

  /** Ends the statement in progress, too. Every later one throws `ClosedError`: nothing is connected again. */
  close(): Promise<void> {
    this.#closing.abort();
    return this.drop();
  }

  #drop(): void {
    void this.drop();
  }

  async #connect(): Promise<FoundServer> {
    const { signal } = this.#closing;
    if (signal.aborted) throw new ClosedError();
    const found = await this.#servers.find(signal);
    this.sessions++;
    this.#isReadOnly = found.isReadOnly;
    found.client.on('notice', ({ code }) => (this.#isUnreplicated ||= isUnreplicated(code)));
    found.client.once('end', () => {
      if (this.#found === found) this.#found = undefined;
    });
    return found;
  }
}
