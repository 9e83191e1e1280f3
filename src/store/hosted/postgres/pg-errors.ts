import { DatabaseError } from 'pg';
import { PlannerError } from '../../../base/errors.ts';

const retryAfterSeconds = 1;

/** No server could be reached that takes writes. Nothing was sent. */
export class NoServerError extends PlannerError {
  /** The reasons for the operator: they name the servers. */
  readonly reasons: string;

  constructor(reasons: readonly string[]) {
    super('unavailable', 'No server of the database takes writes.', { retry_after: retryAfterSeconds });
    this.reasons = reasons.join(' ');
  }

  /** The error with its reasons, for an operator. */
  get withReasons(): PlannerError {
    return new PlannerError(this.code, `${this.message} ${this.reasons}`, this.details);
  }
}

/** A connection, or its user, is closed, since the node ends: nothing was sent. */
export class ClosedError extends PlannerError {
  constructor() {
    super('unavailable', 'The node is ending.', { retry_after: retryAfterSeconds });
  }
}

/** The connection was lost while a statement was being executed: whether it was committed is unknown. */
export class ConnectionLostError extends Error {}

/**
 * The outcome of a failed statement according to its error.
 *
 * - `lost`: nothing; it may have been committed.
 * - `again`: it was rolled back, because of concurrent statements.
 * - `read-only`: the server takes no writes; it was not executed.
 * - `failed`: it was rolled back, and would be again.
 */
export type Failure = 'lost' | 'again' | 'read-only' | 'failed';

/** Deadlock, serialisation failure, a cancelled statement, a lock timeout, a statement that the pooler has forgotten. */
const transient = new Set(['40P01', '40001', '57014', '55P03', '26000']);

export function failureOf(error: unknown): Failure {
  if (!(error instanceof DatabaseError)) return 'lost';
  const { code = '' } = error;
  if (transient.has(code)) return 'again';
  if (code === '25006') return 'read-only';
  // Connection exceptions, and the server is shut down, crashes or starts.
  return /^(?:08|57P)/.test(code) ? 'lost' : 'failed';
}

/** The table whose constraint a statement has violated; undefined for another error. */
export function violatedTable(error: unknown): string | undefined {
  if (!(error instanceof DatabaseError)) return undefined;
  return error.code === '23505' || error.code === '23503' ? error.table : undefined;
}

/**
 * Returns whether a notice says that a commit was not replicated before it was acknowledged: the wait for the standby
 * was cancelled, by a request or because the server shuts down.
 */
export function isUnreplicated(code: string | undefined): boolean {
  return code === '01000' || code?.startsWith('57P') === true;
}
