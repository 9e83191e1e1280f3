import type { TaskFilter } from '../../api/task-filter.ts';

/** What tasks are filtered by, beside their text: any of some values of each. */
export const dimensions = [
  'status',
  'priority',
  'kind',
  'lane',
  'severity',
  'goal',
  'assignee',
  'tag',
  'blocked',
] as const;
export type Dimension = (typeof dimensions)[number];

/** Every column, in the order in which they stand. */
export const columnIds = [
  'label',
  'status',
  'priority',
  'goal',
  'assignee',
  'tags',
  'due_date',
  'kind',
  'lane',
  'severity',
  'updated_at',
  'created_at',
] as const;
export type ColumnId = (typeof columnIds)[number];

export const standardColumns: readonly ColumnId[] = [
  'label',
  'status',
  'priority',
  'goal',
  'assignee',
  'tags',
  'due_date',
];

export const groupings = ['none', 'status', 'priority', 'goal', 'assignee', 'tag', 'kind', 'lane', 'severity'] as const;
export type Grouping = (typeof groupings)[number];

export interface Sort {
  readonly id: ColumnId;
  readonly desc: boolean;
}

/** How the list is looked at: all that a saved view keeps and an address says. */
export interface ListState {
  readonly text: string;
  readonly filters: Readonly<Partial<Record<Dimension, readonly string[]>>>;
  readonly sort: readonly Sort[];
  readonly group: Grouping;
  readonly columns: readonly ColumnId[];
}

export const standardState: ListState = { text: '', filters: {}, sort: [], group: 'none', columns: standardColumns };

/** What other values than the known ones are is left out: an address may be old, and a view made by another program. */
const oneOf = <T extends string>(known: readonly T[], value: unknown): value is T =>
  typeof value === 'string' && (known as readonly string[]).includes(value);

/** Columns in the order in which they stand; a task is always named. */
export function inOrder(columns: readonly ColumnId[]): readonly ColumnId[] {
  const wanted = new Set<string>(['label', ...columns]);
  return columnIds.filter((id) => wanted.has(id));
}

function sortOf(text: string): Sort | undefined {
  const desc = text.startsWith('-');
  const id = desc ? text.slice(1) : text;
  return oneOf(columnIds, id) ? { id, desc } : undefined;
}

const sortText = ({ id, desc }: Sort): string => (desc ? `-${id}` : id);

/** What an address says of the list. */
export function fromQuery(query: URLSearchParams): ListState {
  const filters: Partial<Record<Dimension, readonly string[]>> = {};
  for (const name of dimensions) {
    const values = query.getAll(name).filter((value) => value !== '');
    if (values.length > 0) filters[name] = values;
  }
  const group = query.get('group');
  const columns = (query.get('columns')?.split(',') ?? []).filter((id) => oneOf(columnIds, id));
  return {
    text: query.get('q') ?? '',
    filters,
    sort: (query.get('sort')?.split(',') ?? []).map(sortOf).filter((one) => one !== undefined),
    group: oneOf(groupings, group) ? group : 'none',
    columns: columns.length === 0 ? standardColumns : inOrder(columns),
  };
}

/** Says in an address how the list is looked at; what is as ever is not said. Other members stay. */
export function toQuery(query: URLSearchParams, state: ListState): URLSearchParams {
  for (const name of ['q', 'sort', 'group', 'columns', ...dimensions]) query.delete(name);
  if (state.text !== '') query.set('q', state.text);
  for (const name of dimensions) for (const value of state.filters[name] ?? []) query.append(name, value);
  if (state.sort.length > 0) query.set('sort', state.sort.map(sortText).join(','));
  if (state.group !== 'none') query.set('group', state.group);
  if (state.columns.join() !== standardColumns.join()) query.set('columns', state.columns.join(','));
  return query;
}

/** What a saved view keeps: the same words as the address. */
export function toConfig(state: ListState): Record<string, unknown> {
  const { text, filters, sort, group, columns } = state;
  return { type: 'list', text, filters, sort: sort.map(sortText), group, columns };
}

/** How a saved view looks at the list. Whatever it says that the list does not know is left out. */
export function fromConfig(config: Readonly<Record<string, unknown>> | undefined): ListState {
  const said = config ?? {};
  const strings = (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  const filters: Partial<Record<Dimension, readonly string[]>> = {};
  const given = (typeof said['filters'] === 'object' ? said['filters'] : null) as Record<string, unknown> | null;
  for (const name of dimensions) {
    const values = strings(given?.[name]);
    if (values.length > 0) filters[name] = values;
  }
  const columns = strings(said['columns']).filter((id) => oneOf(columnIds, id));
  return {
    text: typeof said['text'] === 'string' ? said['text'] : '',
    filters,
    sort: strings(said['sort'])
      .map(sortOf)
      .filter((one) => one !== undefined),
    group: oneOf(groupings, said['group']) ? said['group'] : 'none',
    columns: columns.length === 0 ? standardColumns : inOrder(columns),
  };
}

export function isSame(a: ListState, b: ListState): boolean {
  return toQuery(new URLSearchParams(), a).toString() === toQuery(new URLSearchParams(), b).toString();
}

/** How many dimensions are filtered by. */
export function filterCount({ text, filters }: ListState): number {
  return Object.keys(filters).length + (text === '' ? 0 : 1);
}

/** The filter as the tasks are tested by it. */
export function filterOf({ text, filters }: ListState): TaskFilter {
  const { tag, blocked, ...rest } = filters;
  return { text, ...rest, tags: tag, ...(blocked?.length === 1 ? { blocked: blocked[0] === 'yes' } : {}) };
}
