import { filterKeys } from '../api/task-filter.ts';
import type { FilterKey, Filters } from '../api/task-filter.ts';

/** The filters of a view, as in its address. */
export interface FilterState {
  readonly text: string;
  /** True if the text may be in descriptions, too. */
  readonly inDescriptions: boolean;
  readonly filters: Filters;
}

export const noFilters: FilterState = { text: '', inDescriptions: false, filters: {} };

/** The filters that have values; an unknown one is ignored: an address may be old, and another program may have written a view. */
export function filtersIn(valuesOf: (key: FilterKey) => readonly string[]): Filters {
  const entries = filterKeys.map((key) => [key, valuesOf(key)] as const);
  return Object.fromEntries(entries.filter(([, values]) => values.length > 0)) as Filters;
}

export function filterFromQuery(query: URLSearchParams): FilterState {
  return {
    text: query.get('q') ?? '',
    inDescriptions: query.get('in') === 'descriptions',
    filters: filtersIn((key) => query.getAll(key).filter((value) => value !== '')),
  };
}

/** Writes filters to an address. Other members are unchanged. */
export function filterToQuery(query: URLSearchParams, { text, inDescriptions, filters }: FilterState): URLSearchParams {
  for (const name of ['q', 'in', ...filterKeys]) query.delete(name);
  if (text !== '') query.set('q', text);
  if (inDescriptions) query.set('in', 'descriptions');
  for (const key of filterKeys) for (const value of filters[key] ?? []) query.append(key, value);
  return query;
}

export function isFiltered({ text, filters }: FilterState): boolean {
  return text !== '' || Object.keys(filters).length > 0;
}
