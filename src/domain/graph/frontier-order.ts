import type { TaskRecord } from '../../schema/types.ts';

/** This text sorts after every date. */
const noDate = '\uffff';

const priorityRanks: Readonly<Record<string, number>> = { urgent: 0, high: 1, medium: 2, low: 3 };
const noPriority = 4;

/** A position in the order of creation. */
export interface Position {
  readonly created_at: string;
  readonly id: string;
}

/** A position among the blocked tasks. */
export interface Obstructed extends Position {
  /** The number of its existing prerequisites that are not done. */
  readonly open: number;
}

/** The fields by which the frontier orders a task. */
export interface Standing extends Position {
  readonly status: string;
  readonly rank: number;
  readonly due: string;
  /** The number of its existing prerequisites that are not done. */
  open: number;
}

export function standingOf(task: TaskRecord, open: number): Standing {
  return {
    id: task.id,
    created_at: task.created_at,
    status: task.status,
    rank: priorityRanks[task.priority ?? ''] ?? noPriority,
    due: task.due_date ?? noDate,
    open,
  };
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** created_at, then id: the order of creation. */
export function byCreation(a: Position, b: Position): number {
  return compareTexts(a.created_at, b.created_at) || compareTexts(a.id, b.id);
}

/** The order of work: priority, then due date, then creation; absent values are last in each. */
export function byUrgency(a: Standing, b: Standing): number {
  return a.rank - b.rank || compareTexts(a.due, b.due) || byCreation(a, b);
}

/** The order of blocked tasks: fewest open prerequisites first. */
export function byObstacles(a: Obstructed, b: Obstructed): number {
  return a.open - b.open || byCreation(a, b);
}
