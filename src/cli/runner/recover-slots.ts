import { basename } from 'node:path';
import { PlannerError } from '../../base/errors.ts';
import { taskOf } from '../records/show-task.ts';
import { SlotNotes } from './slot-notes.ts';
import type { Workshop } from './workshop.ts';
import { commitAll, removeWorktree } from './worktree.ts';

/** Gives back the tasks of runners that died: their work is committed to their branches. Returns a line for each. */
export async function recoverSlots({ deps, target, repository, cache }: Workshop): Promise<readonly string[]> {
  const notes = new SlotNotes(deps.disk, cache);
  const lines: string[] = [];
  for (const note of notes.takeOver(repository.top)) {
    const { task_id, run_id, agent_ref, directory } = note;
    if (deps.disk.stat(directory) !== undefined) {
      await commitAll(note, 'Work of a runner that ended.');
      await removeWorktree(deps.disk, repository.top, note);
    }
    const quietly = (thrown: unknown): void => {
      if (!(thrown instanceof PlannerError)) throw thrown;
    };
    const task = await taskOf(target, task_id).catch(() => undefined);
    if (task?.status === 'in_progress' && task.assignee === agent_ref)
      await target.planner.call('update_task', { task_id, status: 'todo', assignee: null });
    await target.planner.call('complete_agent_run', { run_id, status: 'failed' }).catch(quietly);
    notes.remove(note);
    lines.push(`${task?.label ?? basename(directory)}: its runner had ended; its work is on ${note.branch}.`);
  }
  return lines;
}
