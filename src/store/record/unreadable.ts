import { conflict, PlannerError } from '../../base/errors.ts';
import type { Problem, ReadTransaction } from './read-transaction.ts';

/** The `conflict` error for a change to a record whose file is unreadable or parked, with path and line. */
export function unwritable(id: string, problem: Problem): PlannerError {
  const message = `The file of ${id} cannot be changed by the service at present (${describe(problem)}). Repair the file first.`;
  return conflict(message, detailsOf(id, problem));
}

/** The `conflict` error for a project whose records are not served, with path and line. */
export function projectNotServed(id: string, problem: Problem): PlannerError {
  return conflict(
    `The project ${id} is not served (${describe(problem)}). Restore the file first.`,
    detailsOf(id, problem),
  );
}

/** The id of the record in an `unwritable` error. */
export function unwritableId(thrown: unknown): string | undefined {
  if (!(thrown instanceof PlannerError) || thrown.code !== 'conflict' || thrown.details['path'] === undefined)
    return undefined;
  const { id } = thrown.details;
  return typeof id === 'string' ? id : undefined;
}

/**
 * Converts an error for a caller: `not_found` for a record whose file is unreadable, without a last good version,
 * becomes a `conflict` with path and line. Other errors are returned unchanged.
 */
export function explainNotFound(view: Pick<ReadTransaction, 'problemOf'>, thrown: unknown): unknown {
  if (!(thrown instanceof PlannerError) || thrown.code !== 'not_found') return thrown;
  const { id } = thrown.details;
  if (typeof id !== 'string') return thrown;
  const problem = view.problemOf(id);
  if (problem === undefined) return thrown;
  const message = `The file of ${id} cannot be read, and no former version of it is known (${describe(problem)}). Repair the file first.`;
  return conflict(message, detailsOf(id, problem));
}

function describe({ path, line, reason }: Problem): string {
  return `${line === undefined ? path : `${path}, line ${line}`}: ${reason}`;
}

function detailsOf(id: string, { path, line }: Problem): Record<string, unknown> {
  return { id, path, ...(line === undefined ? {} : { line }) };
}
