import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { conflict, PlannerError } from '../../../base/errors.ts';
import { randomToken } from '../../../base/ids.ts';
import { replaceFile } from '../../../store/index.ts';
import { addPlanCommand, usageError } from '../../call/command-line.ts';
import { openEditor } from '../../terminal/editor.ts';
import { findRecord, idOf, inProject } from '../../call/find-record.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { goalOf } from '../../records/show-goal.ts';
import { taskOf, taskRows } from '../../records/show-task.ts';
import type { ShownTask } from '../../records/show-task.ts';
import { changesOf, lineOf, readSheet, sheetOf } from '../../records/task-sheet.ts';

const nameBytes = 12;

/** `task edit`: changes a task in the user's editor. */
export function addTaskEdit(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'edit <task>',
      isChange: true,
      description: 'edit the fields and the text of a task in $VISUAL or $EDITOR; only changed fields are sent',
      examples: ['task edit 9q3f', 'task edit "Take payments" --file /tmp/planner-task.md'],
      options: (command) => command.option('--file <path>', 'go on with the file that an invalid edit left'),
    },
    async ([text], { file }: { readonly file?: string }, out, target) => {
      const { id, project_id } = await findRecord(target, ['task'], text);
      const task = await taskOf(target, id);
      const sheet = sheetOf(task, await goalName(target, task.goal_id));
      const path = file === undefined ? newFile(deps, sheet) : resolve(deps.workingDirectory, file);
      if (deps.disk.stat(path)?.kind !== 'file') throw usageError('--file', `There is no file ${path}.`);
      const code = await openEditor(path, { editor: deps.environment().editor, directory: deps.workingDirectory });
      if (code !== 0) throw conflict(`The editor ended with ${code}: nothing was changed. ${kept(text, path)}`);
      const edited = deps.disk.read(path).toString();
      const changed = await change(inProject(target, project_id), { id, before: sheet, after: edited }).catch(
        (thrown: unknown) => {
          throw withFile(thrown, text, path);
        },
      );
      deps.disk.remove(path);
      if (changed === undefined) return out.print({ task }, 'Nothing was changed.');
      out.print({ task: changed }, await taskRows(target, [changed]));
    },
  );
}

async function goalName(target: CliTarget, goal_id: string): Promise<string> {
  return (await goalOf(target, goal_id)).name ?? 'General';
}

/** Only its user can read it. */
function newFile({ disk }: ProgramDeps, sheet: string): string {
  const path = join(tmpdir(), `planner-task-${randomToken(nameBytes)}.md`);
  replaceFile(disk, path, Buffer.from(sheet), { mode: 0o600 });
  return path;
}

/** Sends the differing fields. Undefined if nothing differs. */
async function change(
  target: CliTarget,
  { id, before, after }: { readonly id: string; readonly before: string; readonly after: string },
): Promise<ShownTask | undefined> {
  const sheet = readSheet(after);
  const { goal, ...fields } = changesOf(readSheet(before), sheet);
  try {
    const goal_id = goal === undefined ? {} : { goal_id: await idOf(target, ['goal'], goal as string) };
    const input = { ...fields, ...goal_id };
    if (Object.keys(input).length === 0) return undefined;
    return (await target.planner.call('update_task', { task_id: id, ...input }))['task'] as ShownTask;
  } catch (thrown) {
    if (!(thrown instanceof PlannerError)) throw thrown;
    const line = lineOf(sheet, thrown.details['resource'] === 'goal' ? 'goal' : thrown.field);
    throw line === undefined ? thrown : new PlannerError(thrown.code, `Line ${line}: ${thrown.message}`, { line });
  }
}

function kept(text: string, path: string): string {
  return `Your edit is kept: planner task edit ${JSON.stringify(text)} --file ${path}`;
}

function withFile(thrown: unknown, text: string, path: string): unknown {
  if (!(thrown instanceof PlannerError)) return thrown;
  return new PlannerError(thrown.code, `${thrown.message} ${kept(text, path)}`, { ...thrown.details, path });
}
