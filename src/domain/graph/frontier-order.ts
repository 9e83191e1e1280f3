import type { TaskRecord } from '../../schema/types.ts';
import { rankOfAge } from '../../base/rank-of-age.ts';

/** This text sorts after every date. */
const noDate = '\uffff';

const priorities: Readonly<Record<string, number>> = { urgent: 0, high: 1, medium: 2, low: 3 };
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

/** A position in an order of tasks. */
export interface Place {
  readonly id: string;
  readonly priority: number;
  readonly due: string;
  /** Its place in the order by hand. */
  readonly rank: string;
}

/** The fields by which the frontier orders a task. */
export class Standing implements Place, Obstructed {
  readonly id: string;
  readonly created_at: string;
  readonly status: string;
  readonly priority: number;
  readonly due: string;
  /** The number of its existing prerequisites that are not done. */
  open: number;
  /** Null until the place of a task without a rank is asked for. */
  #rank: string | null;

  constructor(task: TaskRecord, open: number) {
    this.id = task.id;
    this.created_at = task.created_at;
    this.status = task.status;
    this.priority = priorities[task.priority ?? ''] ?? noPriority;
    this.due = task.due_date ?? noDate;
    this.open = open;
    this.#rank = task.rank;
  }

  get rank(): string {
    return (this.#rank ??= rankOfAge(this));
  }
}

function compareTexts(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** created_at, then id: the order of creation. */
export function byCreation(a: Position, b: Position): number {
  return compareTexts(a.created_at, b.created_at) || compareTexts(a.id, b.id);
}

/** The order by hand: the rank, which is the one of its age for a task that was never moved; equal ranks by id. */
export function byRank(a: Pick<Place, 'rank' | 'id'>, b: Pick<Place, 'rank' | 'id'>): number {
  return compareTexts(a.rank, b.rank) || compareTexts(a.id, b.id);
}

/** The order of work: priority, then due date, then rank; absent priorities and dates are last. */
export function byUrgency(a: Place, b: Place): number {
  return a.priority - b.priority || compareTexts(a.due, b.due) || byRank(a, b);
}

/** The order of blocked tasks: fewest open prerequisites first. */
export function byObstacles(a: Obstructed, b: Obstructed): number {
  return a.open - b.open || byCreation(a, b);
}
