import { filterFromQuery, filtersIn, filterToQuery, noFilters } from '../../filters/filter-state.ts';
import type { FilterState } from '../../filters/filter-state.ts';

/** Every column in display order. */
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

const standardColumns: readonly ColumnId[] = ['label', 'status', 'priority', 'goal', 'assignee', 'tags', 'due_date'];

export const groupings = ['none', 'status', 'priority', 'goal', 'assignee', 'tag', 'kind', 'lane', 'severity'] as const;
export type Grouping = (typeof groupings)[number];

export interface Sort {
  /** A column, or the order by hand. */
  readonly id: ColumnId | 'hand';
  readonly desc: boolean;
}

/** The state of the list, as in saved views and addresses. */
export interface ListState extends FilterState {
  readonly sort: readonly Sort[];
  readonly group: Grouping;
  readonly columns: readonly ColumnId[];
}

export const standardState: ListState = {
  ...noFilters,
  ...{ sort: [], group: 'none', columns: standardColumns },
};

/** Unknown values are ignored: an address may be old, and another program may have written the view. */
const oneOf = <T extends string>(known: readonly T[], value: unknown): value is T =>
  typeof value === 'string' && (known as readonly string[]).includes(value);

/** Columns in display order; the label is always included. */
export function inOrder(columns: readonly ColumnId[]): readonly ColumnId[] {
  const included = new Set<string>(['label', ...columns]);
  return columnIds.filter((id) => included.has(id));
}

function sortOf(text: string): Sort | undefined {
  const desc = text.startsWith('-');
  const id = desc ? text.slice(1) : text;
  return oneOf([...columnIds, 'hand'], id) ? { id, desc } : undefined;
}

const sortText = ({ id, desc }: Sort): string => (desc ? `-${id}` : id);

/** Parses the state from an address. */
export function fromQuery(query: URLSearchParams): ListState {
  const group = query.get('group');
  const columns = (query.get('columns')?.split(',') ?? []).filter((id) => oneOf(columnIds, id));
  return {
    ...filterFromQuery(query),
    sort: (query.get('sort')?.split(',') ?? []).map(sortOf).filter((one) => one !== undefined),
    group: oneOf(groupings, group) ? group : 'none',
    columns: columns.length === 0 ? standardColumns : inOrder(columns),
  };
}

/** Writes the state to an address, without defaults. Other members are unchanged. */
export function toQuery(query: URLSearchParams, state: ListState): URLSearchParams {
  for (const name of ['sort', 'group', 'columns']) query.delete(name);
  filterToQuery(query, state);
  if (state.sort.length > 0) query.set('sort', state.sort.map(sortText).join(','));
  if (state.group !== 'none') query.set('group', state.group);
  if (state.columns.join() !== standardColumns.join()) query.set('columns', state.columns.join(','));
  return query;
}

/** The config of a saved view: the same values as in the address. */
export function toConfig(state: ListState): Record<string, unknown> {
  const { text, inDescriptions, filters, sort, group, columns } = state;
  return {
    type: 'list',
    text,
    ...(inDescriptions && { in: 'descriptions' }),
    filters,
    sort: sort.map(sortText),
    group,
    columns,
  };
}

/** Parses the state from a saved view's config. Unknown values are ignored. */
export function fromConfig(config: Readonly<Record<string, unknown>> | undefined): ListState {
  const members = config ?? {};
  const strings = (value: unknown): readonly string[] =>
    Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
  const given = (typeof members['filters'] === 'object' ? members['filters'] : null) as Record<string, unknown> | null;
  const columns = strings(members['columns']).filter((id) => oneOf(columnIds, id));
  return {
    text: typeof members['text'] === 'string' ? members['text'] : '',
    inDescriptions: members['in'] === 'descriptions',
    filters: filtersIn((key) => strings(given?.[key])),
    sort: strings(members['sort'])
      .map(sortOf)
      .filter((one) => one !== undefined),
    group: oneOf(groupings, members['group']) ? members['group'] : 'none',
    columns: columns.length === 0 ? standardColumns : inOrder(columns),
  };
}

export function isSame(a: ListState, b: ListState): boolean {
  return toQuery(new URLSearchParams(), a).toString() === toQuery(new URLSearchParams(), b).toString();
}
