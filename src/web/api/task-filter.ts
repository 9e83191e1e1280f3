import { dayOf, localDay } from '../../base/day-words.ts';
import { compare } from './cache.ts';
import { byHand } from './place.ts';
import { priorities } from './tasks.ts';
import type { TaskRow } from './tasks.ts';
import { hasWordsOf } from './words.ts';

/** The values by which a task is filtered, besides the text. */
const values = {
  status: ({ status }: TaskRow) => [status],
  priority: ({ priority }: TaskRow) => [priority ?? 'none'],
  goal: ({ goal_id }: TaskRow) => [goal_id],
  assignee: ({ assignee }: TaskRow) => [assignee ?? 'none'],
  tag: ({ tags }: TaskRow) => (tags.length === 0 ? ['none'] : tags.map(({ name }) => name)),
  due: ({ due_date: due }: TaskRow) => [due ?? 'none'],
  updated: ({ updated_at: at }: TaskRow) => [localDay(new Date(at))],
  blocked: ({ blocked }: TaskRow) => [blocked ? 'yes' : 'no'],
  kind: ({ kind }: TaskRow) => [kind],
  lane: ({ lane }: TaskRow) => [lane ?? 'none'],
  severity: ({ severity }: TaskRow) => [severity ?? 'none'],
} as const satisfies Readonly<Record<string, (task: TaskRow) => readonly string[]>>;

export type Dimension = keyof typeof values;
export const dimensions = Object.keys(values) as Dimension[];

/** A task has any of the values of a filter, all of them, or none. */
export const operatorsOf = (dimension: Dimension): readonly Operator[] =>
  dimension === 'tag' ? ['any', 'all', 'not'] : dimension === 'blocked' ? ['any'] : ['any', 'not'];
export type Operator = 'any' | 'all' | 'not';

/** A filter as addresses and saved views name it: `tag`, `tag.all`, `tag.not`. */
export type FilterKey = Dimension | `${Dimension}.${'all' | 'not'}`;
export type Filters = Readonly<Partial<Record<FilterKey, readonly string[]>>>;

export const keyOfFilter = (dimension: Dimension, operator: Operator): FilterKey =>
  operator === 'any' ? dimension : `${dimension}.${operator}`;
export const filterKeys: readonly FilterKey[] = dimensions.flatMap((dimension) =>
  operatorsOf(dimension).map((operator) => keyOfFilter(dimension, operator)),
);

/** The filter of tasks; an absent or empty member matches all. */
export interface TaskFilter {
  /** Every word of it must be in the label, unless the task is one of `described`. */
  readonly text?: string | undefined;
  readonly filters?: Filters;
}

/** Compiles a filter to a predicate. `described`: the tasks that match the text by their descriptions. */
export function matcher(
  { text: given = '', filters = {} }: TaskFilter,
  described?: ReadonlySet<string>,
): (task: TaskRow) => boolean {
  const text = given.trim();
  const hasWords = hasWordsOf(text);
  const tests = filterKeys.flatMap((key) => {
    const wanted = filters[key] ?? [];
    return wanted.length === 0 ? [] : [testOf(key, wanted)];
  });
  if (text !== '') tests.push(({ id, label }) => described?.has(id) === true || hasWords(label));
  return (task) => tests.every((test) => test(task));
}

function testOf(key: FilterKey, wanted: readonly string[]): (task: TaskRow) => boolean {
  const [dimension, operator] = key.split('.') as [Dimension, Operator?];
  const valuesOf = values[dimension];
  const isRange = dimension === 'due' || dimension === 'updated';
  const matches = wanted.map((value) => (isRange ? inRange(value) : (own: string) => own === value));
  if (operator === 'all') return (task) => matches.every((is) => valuesOf(task).some(is));
  const isAny = operator === undefined;
  return (task) => valuesOf(task).some((own) => matches.some((is) => is(own))) === isAny;
}

/** A range of days is `from..to`, each in words, by which a saved range moves on with the days, or empty. */
function inRange(range: string): (day: string) => boolean {
  const today = localDay(new Date());
  const [first = '', last = first] = range.split('..').map((words) => dayOf(words, today) ?? words);
  return (day) => (range === 'none' || day === 'none' ? day === range : day >= first && (last === '' || day <= last));
}

const ranks: ReadonlyMap<string | null, number> = new Map(priorities.map((priority, rank) => [priority, rank]));

/** The order of work: priority, due date, and by hand, where tasks that were never moved are by age. */
export function byUrgency(a: TaskRow, b: TaskRow): number {
  const rank = (ranks.get(a.priority) ?? priorities.length) - (ranks.get(b.priority) ?? priorities.length);
  if (rank !== 0) return rank;
  return compare(a.due_date ?? '9999', b.due_date ?? '9999') || byHand(a, b);
}
