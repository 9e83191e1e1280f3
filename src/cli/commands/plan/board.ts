import type { Command } from 'commander';
import { printableLine } from '../../../base/printable.ts';
import { allTasks } from '../../records/all-rows.ts';
import { addPlanCommand, present } from '../../call/command-line.ts';
import { projectAndGoal } from '../../call/find-record.ts';
import { boardLines } from '../../records/board-lines.ts';
import type { BoardColumn } from '../../records/board-lines.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { shownIds } from '../../call/short-ids.ts';
import type { ShownTask } from '../../records/show-task.ts';
import { inOrder, urgency } from '../../records/task-order.ts';

interface BoardOptions extends ProjectOption {
  readonly goal?: string;
  readonly all?: boolean;
}

/** The columns in the order of the page's board. */
const columns = [
  ['backlog', 'Backlog'],
  ['scope', 'Scope'],
  ['todo', 'To do'],
  ['in_progress', 'In progress'],
  ['done', 'Done'],
] as const;

/** Cards of a column that are shown by default. */
const cardsMax = 8;

/** `board`: the tasks in columns. */
export function addBoardCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'board',
      description: 'show the board: tasks in columns by status, cards by priority, as wide as the terminal',
      examples: ['board', 'board --goal "Cook mode" --all'],
      options: (command) =>
        projectOption(command)
          .option('--goal <id or name>', 'of this goal')
          .option('--all', `all cards, not the first ${cardsMax} of each column`),
    },
    async (_, options: BoardOptions, out, target) => {
      const place = await projectAndGoal(target, options);
      const tasks = await allTasks(target, present({ ...place, verbose: true }));
      const found = columns.map(([status, title]) => ({
        ...{ status, title },
        tasks: sorted(tasks.filter((task) => task.status === status)),
      }));
      const max = options.all === true ? Infinity : cardsMax;
      const shown = found.flatMap((column) => column.tasks.slice(0, max));
      const idOf = await shownIds(
        target,
        place.project_id,
        shown.map(({ id }) => id),
      );
      const drawn: readonly BoardColumn[] = found
        .filter((column) => column.tasks.length > 0)
        .map(({ title, tasks: all }) => ({
          title: `${title} (${all.length})`,
          cards: all
            .slice(0, max)
            .map((task) => ({ title: `${idOf(task.id)} ${plain(task)}`, beside: besideOf(task) })),
          more: Math.max(0, all.length - max),
        }));
      const lines = boardLines(drawn, deps.columns());
      const columnsFound = found.map(({ status, tasks: all }) => ({ status, tasks: all }));
      out.print({ columns: columnsFound }, lines.length === 0 ? 'No tasks.' : lines);
    },
  );
}

/** Sorts tasks in the order of work; done tasks with the latest first. */
function sorted(tasks: readonly ShownTask[]): readonly ShownTask[] {
  return tasks[0]?.status === 'done'
    ? tasks.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : -1))
    : tasks.toSorted(inOrder(urgency));
}

function plain({ label }: ShownTask): string {
  return printableLine(label);
}

function besideOf({ priority, assignee, due_date: due, blocked }: ShownTask): string {
  return [
    priority ?? '',
    typeof assignee === 'string' ? `@${printableLine(assignee)}` : '',
    typeof due === 'string' ? due : '',
    blocked === true ? 'blocked' : '',
  ]
    .filter((text) => text !== '')
    .join(' ');
}
