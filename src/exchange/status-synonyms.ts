import { isoTime } from '../clock.ts';

/** Planner's statuses by the terms of other tools, folded to letters. */
export const statusWords: Readonly<Record<string, string>> = {
  ...{
    todo: 'todo',
    open: 'todo',
    ready: 'todo',
    pending: 'todo',
    new: 'todo',
    next: 'todo',
    planned: 'todo',
    blocked: 'todo',
  },
  ...{
    inprogress: 'in_progress',
    doing: 'in_progress',
    started: 'in_progress',
    active: 'in_progress',
    review: 'in_progress',
  },
  ...{
    inreview: 'in_progress',
    testing: 'in_progress',
    hooked: 'in_progress',
    pinned: 'in_progress',
    wip: 'in_progress',
  },
  ...{
    done: 'done',
    closed: 'done',
    complete: 'done',
    completed: 'done',
    resolved: 'done',
    finished: 'done',
    released: 'done',
  },
  ...{ backlog: 'backlog', deferred: 'backlog', later: 'backlog', icebox: 'backlog', someday: 'backlog' },
  ...{
    wontdo: 'backlog',
    cancelled: 'backlog',
    canceled: 'backlog',
    rejected: 'backlog',
    tombstone: 'backlog',
    duplicate: 'backlog',
    triage: 'backlog',
    archived: 'backlog',
  },
  ...{ scope: 'scope', draft: 'scope', proposed: 'scope' },
};

/** Terms that mean exactly a Planner status: the conversion loses nothing. */
const sameWords = new Set(['todo', 'open', 'pending', 'inprogress', 'done', 'closed', 'completed', 'backlog', 'scope']);

/** The status for a term; `exact` if the term means no more than the status. An unknown term is `todo`. */
export function statusOf(word: string): { readonly status: string; readonly exact: boolean } {
  const folded = word.toLowerCase().replace(/[^a-z]/g, '');
  const status = statusWords[folded];
  return { status: status ?? 'todo', exact: status !== undefined && sameWords.has(folded) };
}

/** The status for a term; for an unknown one that of `known`, a term for the same state that the tool has beside it. */
export function statusAmong(
  word: string,
  known: string | undefined,
): { readonly status: string; readonly exact: boolean } {
  const isKnown = statusWords[word.toLowerCase().replace(/[^a-z]/g, '')] !== undefined;
  if (isKnown || known === undefined) return statusOf(word);
  return { status: statusOf(known).status, exact: false };
}

/** Planner's priorities by the terms of other tools. */
export const priorityWords: Readonly<Record<string, string>> = {
  ...{ urgent: 'urgent', critical: 'urgent', highest: 'urgent', blocker: 'urgent', high: 'high' },
  ...{ medium: 'medium', normal: 'medium', low: 'low', lowest: 'low', minor: 'low' },
};

export function priorityOf(word: string | undefined): string | undefined {
  return word === undefined ? undefined : priorityWords[word.toLowerCase()];
}

/** Normalises a time; a time without a zone counts as UTC. Undefined for an invalid one. */
export function timeOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const plain = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?$/.exec(text.trim());
  const ms = Date.parse(plain === null ? text : `${plain[1]}T${plain[2] ?? '00:00'}Z`);
  return Number.isNaN(ms) ? undefined : isoTime(ms);
}

/** Normalises a date; undefined for an invalid one. */
export function dayOf(text: string | undefined): string | undefined {
  return timeOf(text)?.slice(0, 10);
}
