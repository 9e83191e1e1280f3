import { mapInSteps, type Steps } from '../../base/slices.ts';
import { rankOfAge } from '../../base/rank-of-age.ts';
import type { Draft } from './draft.ts';

/**
 * A draft whose tasks keep their order by hand under other ids, by which tasks of one time are ordered: if one task of it was moved, each
 * gets the rank of its place.
 */
export function* withRanks(draft: Draft): Steps<Draft> {
  const tasks = draft.lists.get('tasks') ?? [];
  if (!tasks.some(({ rank }) => typeof rank === 'string')) return draft;
  const ranked = yield* mapInSteps(tasks, (task) => {
    const { rank, created_at, id } = task;
    if (typeof rank === 'string' || typeof created_at !== 'string' || typeof id !== 'string') return task;
    return { ...task, rank: rankOfAge({ created_at, id }) };
  });
  return { ...draft, lists: new Map([...draft.lists, ['tasks', ranked]]) };
}
