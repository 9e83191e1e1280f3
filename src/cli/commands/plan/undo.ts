import type { Command } from 'commander';
import { PlannerError } from '../../../base/errors.ts';
import type { UndoneChange } from '../../../schema/types.ts';
import { addPlanCommand, present, usageError } from '../../call/command-line.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { minuteOf } from '../../terminal/show-text.ts';

/** Changes that are printed; `--json` has more. */
const printedMax = 10;

/** `undo`: takes a change back. */
export function addUndoCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'undo [cursor]',
      isChange: true,
      description: 'take back your last change, or the one that a cursor of planner events names; undo it to redo it',
      examples: ['undo', 'undo 119h6sb-3'],
      options: projectOption,
    },
    async ([cursor], options: ProjectOption, out, target) => {
      const { id: project_id } = await chooseProject(target, options);
      try {
        const result = await target.planner.call('undo_change', present({ project_id, cursor }));
        out.print(result, linesOf(result['undone'] as UndoneChange));
      } catch (thrown) {
        throw cursorWhat(thrown, cursor);
      }
    },
  );
}

/** A cursor that names no change, as a person who typed it has to read of it. */
function cursorWhat(thrown: unknown, cursor: string | undefined): unknown {
  if (!(thrown instanceof PlannerError) || thrown.code !== 'cursor_expired' || cursor === undefined) return thrown;
  return usageError(
    'cursor',
    `${JSON.stringify(cursor)} names no change that is still kept. planner events --json shows the cursor of each; planner restore takes back one of planner log.`,
  );
}

function linesOf({ changes, changes_total: total, author, at, redo, left_out: left }: UndoneChange): readonly string[] {
  return [
    ...changes.slice(0, printedMax).map(({ change, type, id, label, fields }) => {
      const what = `${type} ${label === null || label === '' ? id : label}`;
      return `Taken back: ${change === 'updated' ? `${fields.join(', ')} of ${what}` : `${what}, ${change}`}`;
    }),
    ...(total > printedMax ? [`and ${total - printedMax} more`] : []),
    ...left.map(({ type, id, reason }) => `Left out: ${type} ${id}: ${reason}`),
    `It was changed by ${author} at ${minuteOf(at)}. planner undo ${redo} redoes it.`,
  ];
}
