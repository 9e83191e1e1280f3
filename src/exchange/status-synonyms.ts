import { priorityWords, statusWords } from '../domain/records/status-synonyms.ts';
import { foldTerm } from '../base/named.ts';

/** The status that a reader passes to a plan for cancelled work, which the plan translates. */
export const cancelled = 'cancelled';

/** A status, and whether the term that it was read from means no more than it does: any other term is kept. */
export interface ReadStatus {
  readonly status: string;
  readonly exact: boolean;
}

/** Terms that mean exactly a Planner status: the conversion loses nothing. */
const sameWords = new Set(['todo', 'open', 'pending', 'inprogress', 'done', 'closed', 'completed', 'backlog', 'scope']);

/** Returns whether a term is read as a status. */
export function isStatus(word: string): boolean {
  return statusWords.has(foldTerm(word));
}

/** The status for a term. An unknown term is `todo`. */
export function statusOf(word: string): ReadStatus {
  const folded = foldTerm(word);
  return { status: statusWords.get(folded) ?? 'todo', exact: sameWords.has(folded) };
}

/**
 * Returns whether a reason for which something was closed means that the work is not going to be done: `Won't Do`,
 * `duplicate of #7`.
 */
export function isCancelling(reason: string | undefined): boolean {
  const words = (reason ?? '').split(/[\s:,.;()_/-]+/).filter((word) => word !== '');
  return [1, 2, words.length].some((count) => statusWords.get(foldTerm(words.slice(0, count).join(''))) === cancelled);
}

/**
 * The tool's own statement about the state besides the term: a date of completion, a flag, a category. It counts more
 * than the term.
 */
export function statusAmong(word: string, stated: string | undefined): ReadStatus {
  const own = statusOf(word);
  if (stated === undefined) return own;
  // The term may say more about the same state: `Backlog` for work that is not begun, `Duplicate` for closed work.
  if (!isStatus(word) || stageOf(own.status) !== stageOf(stated)) return { status: stated, exact: false };
  return stated === cancelled ? { status: cancelled, exact: false } : own;
}

function stageOf(status: string): 'open' | 'begun' | 'finished' {
  if (status === 'done' || status === cancelled) return 'finished';
  return status === 'in_progress' ? 'begun' : 'open';
}

/** A Planner priority for a term of another tool. */
export function priorityOf(word: string | undefined): string | undefined {
  return word === undefined ? undefined : priorityWords.get(foldTerm(word));
}
