import { compare } from './cache.ts';
import { byHand } from './place.ts';
import { priorities } from './tasks.ts';
import type { TaskRow } from './tasks.ts';
import { hasWordsOf } from './words.ts';

/** The filter of tasks; an absent or empty member matches all. */
export interface TaskFilter {
  /** Every word of it must be in the label, unless the task is one of `described`. */
  readonly text?: string | undefined;
  /** Any of these tags, by name. */
  readonly tags?: readonly string[] | undefined;
  readonly status?: readonly string[] | undefined;
  /** `none`: without one; likewise for lane and severity. */
  readonly priority?: readonly string[] | undefined;
  readonly kind?: readonly string[] | undefined;
  readonly lane?: readonly string[] | undefined;
  readonly severity?: readonly string[] | undefined;
  readonly goal?: readonly string[] | undefined;
  /** `none`: without an assignee. */
  readonly assignee?: readonly string[] | undefined;
  readonly blocked?: boolean | undefined;
}

/** Compiles a filter to a predicate. `described`: the tasks that match the text by their descriptions. */
export function matcher(filter: TaskFilter, described?: ReadonlySet<string>): (task: TaskRow) => boolean {
  const text = (filter.text ?? '').trim();
  const hasWords = hasWordsOf(text);
  const tags = setOf(filter.tags);
  const tests = [
    among(filter.status, ({ status }) => status),
    among(filter.priority, ({ priority }) => priority ?? 'none'),
    among(filter.kind, ({ kind }) => kind),
    among(filter.lane, ({ lane }) => lane ?? 'none'),
    among(filter.severity, ({ severity }) => severity ?? 'none'),
    among(filter.goal, ({ goal_id }) => goal_id),
    among(filter.assignee, ({ assignee }) => assignee ?? 'none'),
    tags && ((task: TaskRow) => task.tags.some(({ name }) => tags.has(name))),
    filter.blocked === undefined ? undefined : ({ blocked }: TaskRow) => blocked === filter.blocked,
    text === '' ? undefined : ({ id, label }: TaskRow) => described?.has(id) === true || hasWords(label),
  ].filter((test) => test !== undefined);
  return (task) => tests.every((test) => test(task));
}

/** A predicate for a task's value; undefined if any value matches. */
function among(
  values: readonly string[] | undefined,
  of: (task: TaskRow) => string,
): ((task: TaskRow) => boolean) | undefined {
  const set = setOf(values);
  return set && ((task) => set.has(of(task)));
}

function setOf(values: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return values === undefined || values.length === 0 ? undefined : new Set(values);
}

const ranks: ReadonlyMap<string | null, number> = new Map(priorities.map((priority, rank) => [priority, rank]));

/** The order of work: priority, due date, and by hand, where tasks that were never moved are by age. */
export function byUrgency(a: TaskRow, b: TaskRow): number {
  const rank = (ranks.get(a.priority) ?? priorities.length) - (ranks.get(b.priority) ?? priorities.length);
  if (rank !== 0) return rank;
  return compare(a.due_date ?? '9999', b.due_date ?? '9999') || byHand(a, b);
}
