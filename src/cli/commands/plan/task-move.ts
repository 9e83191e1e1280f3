import type { Command } from 'commander';
import { addPlanCommand, present, usageError } from '../../call/command-line.ts';
import { findRecord, idOf, inProject } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { taskRows } from '../../records/show-task.ts';
import type { ShownTask } from '../../records/show-task.ts';

interface Places {
  readonly above?: string;
  readonly below?: string;
  readonly first?: boolean;
  readonly last?: boolean;
}

/** All other tasks, in place of an id. */
const all = '*';

/** `task move`: moves tasks in the order by hand. */
export function addTaskMove(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'move <task...>',
      isChange: true,
      description: 'move tasks in the order by hand: next takes the first of those with the same priority and due date',
      examples: ['task move 9q3f --above "Take payments"', 'task move "Send invoices" 4n0c --first'],
      options: (command) =>
        command
          .option('--above <task>', 'directly above this task')
          .option('--below <task>', 'directly below this task')
          .option('--first', 'above all tasks of the project')
          .option('--last', 'below all tasks of the project'),
    },
    async (given, options: Places, out, target) => {
      const near = options.above ?? options.below;
      if ([options.above, options.below, options.first, options.last].filter((one) => one !== undefined).length !== 1)
        throw usageError('--above', 'Name one place: --above <task>, --below <task>, --first or --last.');
      // All names are looked up before anything is moved.
      const found = await Promise.all(given.map((text) => findRecord(target, ['task'], text)));
      const { project_id } = found[0]!;
      const beside = near === undefined ? all : await idOf(inProject(target, project_id), ['task'], near);
      const isAbove = options.above !== undefined || options.first === true;
      // Further tasks follow the first one.
      const tasks = found.map(({ id }, at) => {
        const [above, below] = at > 0 ? [undefined, found[at - 1]!.id] : isAbove ? [beside] : [undefined, beside];
        return present({ task_id: id, above, below });
      });
      const result = await target.planner.call('change_tasks', { project_id, tasks });
      out.print({ tasks: result['tasks'] }, await taskRows(target, result['tasks'] as readonly ShownTask[]));
    },
  );
}
