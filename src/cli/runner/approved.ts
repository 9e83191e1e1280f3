import { allTasks } from '../records/all-rows.ts';
import type { ShownTask } from '../records/show-task.ts';
import { inOrder, urgency } from '../records/task-order.ts';
import { readNodes } from '../records/task-graph.ts';
import { unmerged } from './frontier.ts';
import type { Chosen, Field } from './frontier.ts';

/** A task with the branch that its work is on. */
export type BranchedTask = ShownTask & { readonly branch: string };

/** Returns whether a person approved a task whose branch is to be merged. */
export function isApproved(task: ShownTask): task is BranchedTask {
  // A runner gives each task a branch of its own: no other one is merged in its name.
  const isOwn = task.branch?.startsWith(`planner/${task.id.slice(-4)}`) === true;
  return task.status === 'done' && task.verified_at != null && isOwn;
}

/** The approved tasks that are not merged, each after its prerequisites, and why one cannot be merged yet. */
export async function* approvedTasks(
  { target, repository }: Field,
  { project_id, goal_id }: Chosen,
): AsyncGenerator<{ readonly task: BranchedTask; readonly whyNot: string | undefined }> {
  const found = await allTasks(target, { project_id, goal_id, to_merge: true });
  const left = new Map(
    found
      .filter(isApproved)
      .toSorted(inOrder(urgency))
      .map((task) => [task.id, task]),
  );
  if (left.size === 0) return;
  const { nodes } = await readNodes(target, project_id);
  const before = (id: string): readonly string[] => nodes.get(id)?.prerequisites ?? [];
  while (left.size > 0) {
    const all = [...left.values()];
    // In a cycle none is the first.
    const task = all.find(({ id }) => !before(id).some((other) => left.has(other))) ?? all[0]!;
    left.delete(task.id);
    const prerequisites = before(task.id).flatMap((id) => nodes.get(id) ?? []);
    yield { task, whyNot: await unmerged(target, prerequisites, repository.top, 'HEAD') };
  }
}
