import { createSortedRowModel, rowSortingFeature, tableFeatures } from '@tanstack/react-table';
import type { ColumnDef } from '@tanstack/react-table';
import { kinds, lanes, priorities, severities, statuses, statusNames } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { byHand } from '../../api/place.ts';
import { capitalised, fieldName } from '../../rest/field-names.ts';
import { columnIds } from './list-state.ts';
import type { ColumnId, Sort } from './list-state.ts';

export const priorityNames = { urgent: 'Urgent', high: 'High', medium: 'Medium', low: 'Low' } as const;
export const kindNames = { build: 'Build', decision: 'Decision' } as const;
export const laneNames = { auto: 'Auto', approve: 'Approve', full: 'Full' } as const;
export const severityNames = { low: 'Low', medium: 'Medium', high: 'High' } as const;

/** A task with the name of its goal, for sorting and display. */
export interface ListRow {
  readonly task: TaskRow;
  readonly goal: string;
}

/** A column of the list. A new one takes an entry here and its id in `columnIds`. */
interface Column {
  /** The width in pixels; the label gets the rest. */
  readonly pixels: number;
  /** The sort key: undefined is last in both directions. */
  readonly sort: (row: ListRow) => string | number | undefined;
  /** The text of a cell. */
  readonly text: (row: ListRow) => string;
}

/** The rank of a value in its enumeration; absent values sort last. */
function rankOf<T>(values: readonly T[], value: T | null): number | undefined {
  return value === null ? undefined : values.indexOf(value);
}

/** A column whose cells are sorted as texts. */
function textColumn(pixels: number, text: (row: ListRow) => string | null): Column {
  return { pixels, sort: (row) => text(row) ?? undefined, text: (row) => text(row) ?? '' };
}

/** A column of a value that has a name; absent values sort last. */
function valueColumn<T extends string>(
  pixels: number,
  values: readonly T[],
  names: Readonly<Record<T, string>>,
  value: (task: TaskRow) => T | null,
): Column {
  return {
    pixels,
    sort: ({ task }) => rankOf(values, value(task)),
    text: ({ task }) => nameOf(names, value(task)),
  };
}

function nameOf<T extends string>(names: Readonly<Record<T, string>>, value: T | null): string {
  return value === null ? '' : names[value];
}

const columnsById: Readonly<Record<ColumnId, Column>> = {
  label: textColumn(240, ({ task }) => task.label),
  status: valueColumn(118, statuses, statusNames, ({ status }) => status),
  priority: valueColumn(100, priorities, priorityNames, ({ priority }) => priority),
  goal: textColumn(150, ({ goal }) => goal),
  assignee: textColumn(126, ({ task }) => task.assignee),
  tags: textColumn(176, ({ task }) => (task.tags.length === 0 ? null : task.tags.map(({ name }) => name).join(', '))),
  due_date: textColumn(112, ({ task }) => task.due_date),
  kind: valueColumn(88, kinds, kindNames, ({ kind }) => kind),
  lane: valueColumn(84, lanes, laneNames, ({ lane }) => lane),
  severity: valueColumn(88, severities, severityNames, ({ severity }) => severity),
  updated_at: textColumn(110, ({ task }) => task.updated_at),
  created_at: textColumn(110, ({ task }) => task.created_at),
};

/** Shorter than the name of the field. */
const shortNames: Readonly<Partial<Record<Sort['id'], string>>> = {
  hand: 'By hand',
  label: 'Task',
  due_date: 'Due',
  updated_at: 'Updated',
  created_at: 'Created',
};

/** The heading of a column. */
export function columnName(id: Sort['id']): string {
  return shortNames[id] ?? capitalised(fieldName(id));
}

const boxPixels = 38;

/** The grid tracks of the columns, and their minimal width. */
export function tracksOf(shown: readonly ColumnId[]): { readonly tracks: string; readonly pixels: number } {
  const tracks = shown.map((id) =>
    id === 'label' ? `minmax(${columnsById.label.pixels}px, 1fr)` : `${columnsById[id].pixels}px`,
  );
  return {
    tracks: `${boxPixels}px ${tracks.join(' ')}`,
    pixels: shown.reduce((sum, id) => sum + columnsById[id].pixels, boxPixels),
  };
}

const words = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function compare(a: string | number, b: string | number): number {
  return typeof a === 'string' && typeof b === 'string' ? words.compare(a, b) : Number(a) - Number(b);
}

export const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

export const columns: ColumnDef<typeof features, ListRow>[] = columnIds.map((id) => ({
  id,
  accessorFn: columnsById[id].sort,
  header: columnName(id),
  sortUndefined: 'last',
  sortFn: (a, b, column) => compare(a.getValue<string | number>(column), b.getValue<string | number>(column)),
  // The latest changes are most useful first.
  sortDescFirst: id === 'updated_at' || id === 'created_at',
}));

/** Not shown: the order by hand. */
columns.push({ id: 'hand', accessorFn: () => '', sortFn: (a, b) => byHand(a.original.task, b.original.task) });

/** The text of a cell. */
export function cellText(id: ColumnId, row: ListRow): string {
  return columnsById[id].text(row);
}
