/** The meaning of other tools' statuses: a status of Planner, or `cancelled` for cancelled work. */
type Meaning = 'todo' | 'in_progress' | 'done' | 'cancelled' | 'backlog' | 'scope';

const terms: Readonly<Record<Meaning, readonly string[]>> = {
  todo: ['todo', 'open', 'ready', 'pending', 'new', 'next', 'planned', 'blocked', 'notstarted', 'reopened'],
  in_progress: [
    ...['inprogress', 'doing', 'started', 'active', 'review', 'inreview', 'testing', 'hooked', 'pinned', 'wip'],
  ],
  done: [
    ...['done', 'closed', 'complete', 'completed', 'resolved', 'finished', 'released', 'fixed', 'shipped', 'deployed'],
  ],
  cancelled: [
    ...['cancelled', 'canceled', 'wontdo', 'wontfix', 'notplanned', 'rejected', 'declined', 'duplicate', 'duplicated'],
    ...['invalid', 'obsolete', 'superseded', 'abandoned', 'dropped', 'discarded', 'cannotreproduce', 'archived'],
    'tombstone',
  ],
  backlog: ['backlog', 'deferred', 'later', 'icebox', 'someday', 'triage'],
  scope: ['scope', 'draft', 'proposed'],
};

/** The meanings of other tools' statuses, by their letters. */
export const statusWords = byTerm(terms);

/** The meanings for a field that has only Planner's statuses. */
export const taskStatusWords: ReadonlyMap<string, string> = new Map(
  [...statusWords].map(([term, meaning]) => [term, meaning === 'cancelled' ? 'done' : meaning]),
);

/** Planner's priorities by the terms of other tools. */
export const priorityWords = byTerm({
  urgent: ['urgent', 'critical', 'highest', 'blocker'],
  high: ['high'],
  medium: ['medium', 'normal'],
  low: ['low', 'lowest', 'minor'],
});

function byTerm(meanings: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(meanings).flatMap(([meaning, words]) => words.map((word) => [word, meaning] as const)));
}
