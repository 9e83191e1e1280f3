import { createSortedRowModel, rowSortingFeature, tableFeatures } from '@tanstack/react-table';
import type { ColumnDef } from '@tanstack/react-table';
import { priorities, statuses, statusNames } from '../../api/tasks.ts';
import type { TaskRow } from '../../api/tasks.ts';
import { columnIds } from './list-state.ts';
import type { ColumnId } from './list-state.ts';

export const columnNames: Readonly<Record<ColumnId, string>> = {
  label: 'Task',
  status: 'Status',
  priority: 'Priority',
  goal: 'Goal',
  assignee: 'Assignee',
  tags: 'Tags',
  due_date: 'Due',
  kind: 'Kind',
  lane: 'Lane',
  severity: 'Severity',
  updated_at: 'Updated',
  created_at: 'Created',
};

/** The widths of columns in pixels; the label gets the rest. */
const columnPixels: Readonly<Record<ColumnId, number>> = {
  ...{ label: 240, status: 118, priority: 100, goal: 150, assignee: 126, tags: 176, due_date: 112 },
  ...{ kind: 88, lane: 84, severity: 88, updated_at: 110, created_at: 110 },
};
const boxPixels = 38;

/** The grid tracks of the columns, and their minimal width. */
export function tracksOf(shown: readonly ColumnId[]): { readonly tracks: string; readonly pixels: number } {
  const tracks = shown.map((id) => (id === 'label' ? `minmax(${columnPixels.label}px, 1fr)` : `${columnPixels[id]}px`));
  return {
    tracks: `${boxPixels}px ${tracks.join(' ')}`,
    pixels: shown.reduce((sum, id) => sum + columnPixels[id], boxPixels),
  };
}

export const priorityNames = { urgent: 'Urgent', high: 'High', medium: 'Medium', low: 'Low' } as const;
export const kindNames = { build: 'Build', decision: 'Decision' } as const;
export const laneNames = { auto: 'Auto', approve: 'Approve', full: 'Full' } as const;
export const severityNames = { low: 'Low', medium: 'Medium', high: 'High' } as const;

/** A task with the name of its goal, for sorting and display. */
export interface ListRow {
  readonly task: TaskRow;
  readonly goal: string;
}

const severities = ['high', 'medium', 'low'] as const;
const lanes = ['auto', 'approve', 'full'] as const;

/** The rank of a value in its enumeration; absent values sort last. */
function rankOf<T>(values: readonly T[], value: T | null): number | undefined {
  return value === null ? undefined : values.indexOf(value);
}

/** The sort key of a column: undefined is last in both directions. */
const sortValues: Readonly<Record<ColumnId, (row: ListRow) => string | number | undefined>> = {
  label: ({ task }) => task.label,
  status: ({ task }) => rankOf(statuses, task.status),
  priority: ({ task }) => rankOf(priorities, task.priority),
  goal: ({ goal }) => goal,
  assignee: ({ task }) => task.assignee ?? undefined,
  tags: ({ task }) => (task.tags.length === 0 ? undefined : task.tags.map(({ name }) => name).join(', ')),
  due_date: ({ task }) => task.due_date ?? undefined,
  kind: ({ task }) => task.kind,
  lane: ({ task }) => rankOf(lanes, task.lane),
  severity: ({ task }) => rankOf(severities, task.severity),
  updated_at: ({ task }) => task.updated_at,
  created_at: ({ task }) => task.created_at,
};

const words = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function compare(a: string | number, b: string | number): number {
  return typeof a === 'string' && typeof b === 'string' ? words.compare(a, b) : Number(a) - Number(b);
}

export const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

export const columns: ColumnDef<typeof features, ListRow>[] = columnIds.map((id) => ({
  id,
  accessorFn: sortValues[id],
  header: columnNames[id],
  sortUndefined: 'last',
  sortFn: (a, b, column) => compare(a.getValue<string | number>(column), b.getValue<string | number>(column)),
  // The latest changes are most useful first.
  sortDescFirst: id === 'updated_at' || id === 'created_at',
}));

/** The text of a cell. */
export function cellText(id: ColumnId, { task, goal }: ListRow): string {
  switch (id) {
    case 'label':
      return task.label;
    case 'status':
      return statusNames[task.status];
    case 'priority':
      return task.priority === null ? '' : priorityNames[task.priority];
    case 'goal':
      return goal;
    case 'assignee':
      return task.assignee ?? '';
    case 'tags':
      return task.tags.map(({ name }) => name).join(', ');
    case 'due_date':
      return task.due_date ?? '';
    case 'kind':
      return kindNames[task.kind];
    case 'lane':
      return task.lane === null ? '' : laneNames[task.lane];
    case 'severity':
      return task.severity === null ? '' : severityNames[task.severity];
    case 'updated_at':
      return task.updated_at;
    case 'created_at':
      return task.created_at;
  }
}
