import type { Goal } from '../../schema/types.ts';
import { allTasks } from '../records/all-rows.ts';
import { goalOf, surfaceOf } from '../records/show-goal.ts';
import { gather, groundOf } from '../verify/evidence.ts';
import { subjectOf } from '../verify/subject.ts';
import { submit } from '../verify/submit.ts';
import type { Chosen } from './frontier.ts';
import type { Workshop } from './workshop.ts';
import { areBefore } from './worktree.ts';

/** Verifies the goals whose last task is done and merged, at the present commit. */
export async function verifyGoals(shop: Workshop, { project_id, goal_id: only }: Chosen): Promise<readonly Goal[]> {
  const { deps, target, repository, isTrusted, gateMinutesMax } = shop;
  const verified: Goal[] = [];
  const tasks = await allTasks(target, { project_id });
  const goals = new Set(tasks.map(({ goal_id: id }) => id));
  for (const goal_id of goals) {
    if (only !== undefined && only !== goal_id) continue;
    const goal = await goalOf(target, goal_id);
    const own = tasks.filter(({ goal_id: id }) => id === goal_id);
    if (!(await isReady(repository.top, goal, own))) continue;
    const subject = await subjectOf(target, goal_id);
    deps.notice(`${subject.title}: all of its tasks are done and merged, so its gate runs.`);
    const how = { at: undefined, isHere: false, isTrusted, minutesMax: gateMinutesMax, variables: [] };
    const gathered = await gather(deps, subject, await groundOf(deps, target.root, how), how);
    const submitted = await submit(target, subject, gathered);
    if (submitted.goal !== undefined) verified.push(submitted.goal);
  }
  return verified;
}

/** Returns whether a goal has nothing left but its gate: all of its tasks are done and merged. */
export async function isReady(
  top: string,
  goal: Goal,
  tasks: readonly { readonly status: string; readonly commit_refs: readonly string[] }[],
): Promise<boolean> {
  if (goal.status !== 'active' || surfaceOf(goal)?.kind !== 'gate_command') return false;
  if (tasks.some(({ status }) => status !== 'done')) return false;
  const commits = tasks.flatMap(({ commit_refs: of }) => of);
  return areBefore(top, commits, 'HEAD');
}
