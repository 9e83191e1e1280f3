import type { Command } from 'commander';
import { PlannerError } from '../../../base/errors.ts';
import { addPlanCommand } from '../../call/command-line.ts';
import { idOf } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { taskOf, taskRows } from '../../records/show-task.ts';
import type { ShownTask } from '../../records/show-task.ts';

interface ReleaseOptions {
  readonly as?: string;
  readonly force?: boolean;
}

/** `release`: gives a claimed task back. */
export function addReleaseCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'release <task>',
      isChange: true,
      description: 'give a task back that is in progress: it is in todo again, without an assignee',
      examples: ['release "Take payments"', 'release 9q3f --as builder-1'],
      options: (command) =>
        command
          .option('--as <name>', 'the assignee that claimed it (default: your name in git)')
          .option('--force', 'also if another assignee has it'),
    },
    async ([text], options: ReleaseOptions, out, target) => {
      const { planner } = target;
      const task_id = await idOf(target, ['task'], text);
      const task = await taskOf(target, task_id);
      const { label, status, assignee } = task;
      if (status !== 'in_progress')
        throw new PlannerError('conflict', `${label} is ${status}; only a task in progress can be released.`);
      const me = options.as ?? (await deps.owner());
      if (typeof assignee === 'string' && assignee !== me && options.force !== true)
        throw new PlannerError('conflict', `${label}: ${assignee} has it. --as ${assignee} or --force releases it.`);
      const result = await planner.call('update_task', { task_id, status: 'todo', assignee: null });
      out.print(result, await taskRows(target, [result['task'] as ShownTask]));
    },
  );
}
