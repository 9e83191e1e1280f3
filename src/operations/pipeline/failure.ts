import { PlannerError } from '../../base/errors.ts';
import { randomName } from '../../base/ids.ts';

/** Writes one entry to the service's log: a plain object, as JSON. */
export type Log = (entry: Readonly<Record<string, unknown>>) => void;

/**
 * The error that a caller gets for an exception: a `PlannerError` unchanged; any other as `internal` with an id, under which the log has
 * the message and the stack. These are never sent to callers.
 */
export function asPlannerError(thrown: unknown, log: Log, where: string): PlannerError {
  if (thrown instanceof PlannerError) return thrown;
  const id = `err_${randomName()}`;
  const text = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  log({ level: 'error', id, where, text });
  return new PlannerError('internal', `The service failed on this request. Its log has the reason under ${id}.`, {
    id,
  });
}
