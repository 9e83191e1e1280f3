import type { Command } from 'commander';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { addTaskChanges } from './task-change.ts';
import { addTaskEdit } from './task-edit.ts';
import { addTaskMove } from './task-move.ts';
import { addTaskList } from './task-list.ts';
import { addTaskShow } from './task-show.ts';

/** `task`: lists, shows, creates, changes, moves and deletes tasks. */
export function addTaskCommands(deps: ProgramDeps, program: Command): void {
  const group = program.command('task').description('tasks: list, show, edit, add, set, move, rm');
  addTaskList(deps, group);
  addTaskShow(deps, group);
  addTaskEdit(deps, group);
  addTaskChanges(deps, group);
  addTaskMove(deps, group);
}
