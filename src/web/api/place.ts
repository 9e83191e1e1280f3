import { rankOfAge } from '../../base/rank-of-age.ts';
import { compare } from './cache.ts';
import type { Task } from '../rest/types.ts';

/** A place in the order by hand: directly above or below the task with this id, or all others, `*`. */
export interface Place {
  readonly above?: string | undefined;
  readonly below?: string | undefined;
}

type Ranked = Pick<Task, 'id' | 'rank' | 'created_at'>;

/** A task that was never moved has the place of its age. */
const rankOf = (task: Ranked): string => task.rank ?? rankOfAge(task);

/** The order by hand, as the service has it. */
export function byHand(a: Ranked, b: Ranked): number {
  return compare(rankOf(a), rankOf(b)) || compare(a.id, b.id);
}

/** The rank that shows a task in its place until the service has answered with the real one; none if it is not moved. */
export function shownRank(rows: readonly Ranked[], { above, below }: Place, id: string): { readonly rank?: string } {
  if (above === undefined && below === undefined) return {};
  const others = rows.filter((row) => row.id !== id);
  const beside = others.find((row) => row.id === (above ?? below));
  const isBefore = (row: Ranked): boolean =>
    above === undefined
      ? beside === undefined || byHand(row, beside) <= 0
      : beside !== undefined && byHand(row, beside) < 0;
  const before = others.filter(isBefore).map(rankOf);
  const last = before.reduce((most, rank) => (compare(most, rank) < 0 ? rank : most), '');
  return { rank: `${last}\0` };
}

/** The place ahead of an index of a list, beside a task of its group that is not itself moved. Headings have no id. */
export function placeAt(ids: readonly (string | undefined)[], at: number, moved: ReadonlySet<string>): Place {
  const isOther = (id: string | undefined): boolean => id === undefined || !moved.has(id);
  const above = ids.slice(at).find(isOther);
  if (above !== undefined) return { above };
  const below = ids.slice(0, at).findLast(isOther);
  return below === undefined ? {} : { below };
}
