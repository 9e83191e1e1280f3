import type { PgConnection, Rows, Statement } from './pg-connection.ts';

/** Connections that are used by one statement at a time each; statements wait for a free one, in their order. */
export class PgPool {
  readonly #connections: readonly PgConnection[];
  readonly #idle: PgConnection[];
  readonly #waiting: ((connection: PgConnection) => void)[] = [];

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

  /** The same for several statements as one transaction, as `PgConnection.transaction` executes them. */
  transaction<T>(work: (session: Pick<PgConnection, 'query'>) => Promise<T>): Promise<T> {
    return this.#using((connection) => connection.transaction(work));
  }

  async #using<T>(use: (connection: PgConnection) => Promise<T>): Promise<T> {
    const connection = this.#idle.pop() ?? (await new Promise<PgConnection>((resolve) => this.#waiting.push(resolve)));
    try {
      return await use(connection);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(connection);
      else next(connection);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }
}
