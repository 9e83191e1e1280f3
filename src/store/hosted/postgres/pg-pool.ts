import type { PgConnection, Rows, Statement } from './pg-connection.ts';
import { ClosedError } from './pg-errors.ts';

/** Connections that are used by one statement at a time each; statements wait for a free one, in their order. */
export class PgPool {
  readonly #connections: readonly PgConnection[];
  readonly #idle: PgConnection[];
  readonly #waiting: PromiseWithResolvers<PgConnection>[] = [];
  #isClosed = false;

  constructor(connections: readonly PgConnection[]) {
    this.#connections = connections;
    this.#idle = [...connections];
  }

  /** Connections that execute a statement, and statements that wait for one. */
  get load(): { readonly inUse: number; readonly waiting: number } {
    return { inUse: this.#connections.length - this.#idle.length, waiting: this.#waiting.length };
  }

  /** Throws as `PgConnection.query` does. */
  query(statement: Statement): Promise<Rows> {
    return this.#using((connection) => connection.query(statement));
  }

  /** Executes several statements as one transaction, as `PgConnection.transaction` executes them. */
  transaction<T>(work: (session: Pick<PgConnection, 'query'>) => Promise<T>): Promise<T> {
    return this.#using((connection) => connection.transaction(work));
  }

  async #using<T>(use: (connection: PgConnection) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw new ClosedError();
    const connection = this.#idle.pop() ?? (await this.#next());
    try {
      return await use(connection);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(connection);
      else next.resolve(connection);
    }
  }

  #next(): Promise<PgConnection> {
    const waiting = Promise.withResolvers<PgConnection>();
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  /** See `PgConnection`. */
  hasten(ms: number): void {
    for (const connection of this.#connections) connection.hasten(ms);
  }

  /** Statements in progress end; waiting and all later statements throw `ClosedError`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new ClosedError());
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }
}
