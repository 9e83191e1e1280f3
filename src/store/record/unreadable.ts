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
 * becomes a `conflict` with path and line, and an id of another tool that is not a record's one with the records whose
 * files contain it. Other errors are returned unchanged.
 */
export function explainNotFound(
  view: Pick<ReadTransaction, 'problemOf' | 'sharing' | 'pathOf'>,
  thrown: unknown,
): unknown {
  if (!(thrown instanceof PlannerError) || thrown.code !== 'not_found') return thrown;
  const { id } = thrown.details;
  if (typeof id !== 'string') return thrown;
  const problem = view.problemOf(id);
  const sharing = problem === undefined ? view.sharing(id) : [];
  if (sharing.length > 0 && !sharing.includes(id)) return sharedByRecords(view, id, sharing);
  if (problem === undefined) return thrown;
  const message = `The file of ${id} cannot be read, and no former version of it is known (${describe(problem)}). Repair the file first.`;
  return conflict(message, detailsOf(id, problem));
}

const matchesMax = 20;

function sharedByRecords(view: Pick<ReadTransaction, 'pathOf'>, id: string, sharing: readonly string[]): PlannerError {
  const listed = sharing.slice(0, matchesMax).map((one) => `${one} (${view.pathOf(one) ?? 'no file'})`);
  const more = sharing.length > matchesMax ? ` and ${sharing.length - matchesMax} more` : '';
  const message = `The id ${JSON.stringify(id)} of another tool does not identify a record. It is in the files of ${listed.join(', ')}${more}: choose one by its own id.`;
  return conflict(message, { id, matches: sharing.slice(0, matchesMax).map((one) => ({ id: one })) });
}

function describe({ path, line, reason }: Problem): string {
  return `${line === undefined ? path : `${path}, line ${line}`}: ${reason}`;
}

function detailsOf(id: string, { path, line }: Problem): Record<string, unknown> {
  return { id, path, ...(line === undefined ? {} : { line }) };
}
