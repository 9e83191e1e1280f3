import { basename } from 'node:path';
import { readProgramEnvironment } from '../../base/config.ts';
import { PlannerError } from '../../base/errors.ts';
import { endMarked } from '../../platform/marked-processes.ts';
import type { Run } from '../../schema/types.ts';
import { allRows } from '../records/all-rows.ts';
import { goalOf } from '../records/show-goal.ts';
import { taskOf } from '../records/show-task.ts';
import type { ShownTask } from '../records/show-task.ts';
import { Settling } from './settling.ts';
import { endKey, slotKey } from './slot-key.ts';
import { SlotNotes, slotMark } from './slot-notes.ts';
import type { SlotNote } from './slot-notes.ts';
import type { Chosen } from './frontier.ts';
import type { TaskOfGoal, Workshop } from './workshop.ts';
import { commitAll, removeLocks, removeWorktree } from './worktree.ts';

/**
 * Gives back the tasks of runners that died: their work is committed to their branches. Work that was over is settled, and tasks that wait for
 * an answer are left. Returns a line for each.
 */
export async function recoverSlots(shop: Workshop): Promise<readonly string[]> {
  const { deps, repository, cache } = shop;
  const notes = new SlotNotes(deps.disk, cache);
  const lines: string[] = [];
  for (const note of notes.takeOver(repository.top)) {
    // An agent that outlives its runner would go on in its worktree.
    await endMarked(deps.disk, slotMark(note), readProgramEnvironment());
    if (deps.disk.stat(note.directory) !== undefined) await removeLocks(deps.disk, note);
    const task = await foundOr(undefined, () => taskOf(shop.target, note.task_id));
    const runs = await foundOr([], () => runsOf(shop, note));
    if (isWaiting(note, task, runs)) {
      await holdTask(shop, note, task);
      notes.release(note);
    } else {
      lines.push(await giveBack(shop, note, task, runs));
      notes.remove(note);
    }
  }
  return lines;
}

/** Returns whether a task still is that of a run which waits for an answer, or has got one. */
export function isWaiting(
  { parked, run_id, agent_ref }: SlotNote,
  task: ShownTask | undefined,
  runs: readonly Run[],
): task is ShownTask {
  const holders = [agent_ref, parked?.former_ref];
  const isHeld = task?.status === 'in_progress' && holders.includes(task.assignee ?? undefined);
  return parked !== undefined && isHeld && runs.some(({ id, status }) => id === run_id && status === 'running');
}

/** Takes over the note of a task that waited for the answer of a person, and has got it. */
export async function takeAnswered(
  shop: Workshop,
  { project_id, goal_id }: Chosen,
): Promise<(TaskOfGoal & { readonly note: SlotNote; readonly notes: SlotNotes }) | undefined> {
  const notes = new SlotNotes(shop.deps.disk, shop.cache);
  const held = notes.takeOver(shop.repository.top);
  let found: (TaskOfGoal & { readonly note: SlotNote }) | undefined;
  for (const note of held) found ??= await answeredBy(shop, { project_id, goal_id }, note);
  for (const note of held) if (note !== found?.note) notes.release(note);
  return found && { ...found, notes };
}

async function answeredBy(
  shop: Workshop,
  { project_id, goal_id }: Chosen,
  note: SlotNote,
): Promise<(TaskOfGoal & { readonly note: SlotNote }) | undefined> {
  if (note.parked === undefined || note.project_id !== project_id) return undefined;
  const task = await foundOr(undefined, () => taskOf(shop.target, note.task_id));
  const runs = await foundOr([], () => runsOf(shop, note));
  if (!isWaiting(note, task, runs) || task.assignee !== note.agent_ref) return undefined;
  if (goal_id !== undefined && goal_id !== task.goal_id) return undefined;
  if (runs.every(({ awaiting }) => awaiting !== null)) return undefined;
  const goal = await goalOf(shop.target, task.goal_id);
  return goal.status === 'active' ? { note, task, goal } : undefined;
}

/** The change of the assignee may be missing that ends the lease. */
async function holdTask({ target }: Workshop, { agent_ref }: SlotNote, task: ShownTask): Promise<void> {
  if (task.assignee === agent_ref) return;
  await target.planner.call('update_task', { task_id: task.id, assignee: agent_ref });
}

/** The running runs of a slot. */
export async function runsOf({ target }: Pick<Workshop, 'target'>, note: SlotNote): Promise<readonly Run[]> {
  const { project_id, task_id, agent_ref, run_id } = note;
  const input = { project_id, task_id, status: 'running' };
  const runs = await allRows<Run>(target, 'list_agent_runs', 'runs', input);
  return runs.filter((run) => run.id === run_id || run.agent_ref === agent_ref);
}

async function giveBack(
  shop: Workshop,
  note: SlotNote,
  task: ShownTask | undefined,
  runs: readonly Run[],
): Promise<string> {
  const { deps, target, repository } = shop;
  const { task_id, agent_ref, parked, settles, directory, branch } = note;
  await foundOr(undefined, async () => endKey(shop, (await slotKey(shop, note)).id));
  const isMade = deps.disk.stat(directory) !== undefined;
  // What came after the end of the work is not part of it.
  if (isMade && settles === undefined) await commitAll(note, 'Work of a runner that ended.');
  const isHeld = task?.assignee === agent_ref || (parked !== undefined && task?.assignee === parked.former_ref);
  let says = `its work is on ${branch}`;
  // Its runner may have ended after it settled the task.
  let status = task?.status === 'done' ? 'completed' : 'failed';
  if (task?.status === 'in_progress' && isHeld && settles !== undefined) {
    const settling = new Settling(shop, task, note);
    ({ says } = await settling.done(task, settles, await settling.merge(task, settles)));
    status = 'completed';
  } else if (task?.status === 'in_progress' && isHeld)
    await target.planner.call('update_task', { task_id, status: 'todo', assignee: null });
  if (isMade) await removeWorktree(deps.disk, repository.top, note);
  for (const { id: run_id } of runs)
    await foundOr(undefined, () => target.planner.call('complete_agent_run', { run_id, status }));
  return `${task?.label ?? basename(directory)}: its runner had ended; ${says}.`;
}

/** The result of a call, or something else if its subject is gone, or closed. */
async function foundOr<T, U>(other: U, call: () => Promise<T>): Promise<T | U> {
  try {
    return await call();
  } catch (thrown) {
    if (!(thrown instanceof PlannerError) || thrown.code === 'unavailable') throw thrown;
    return other;
  }
}
