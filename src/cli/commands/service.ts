import type { Command } from 'commander';
import type { Problem } from '../../store/index.ts';
import { addPlanCommand } from '../command-line.ts';
import type { ProgramDeps } from '../program-deps.ts';

/** `flush` and `doctor`: what is asked of the files themselves. */
export function addServiceCommands(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'flush',
      description: 'return when every acknowledged change is in its file',
      examples: ['flush && git commit -m "Plan" .planner'],
    },
    async (_, __, out, { planner }) => {
      await planner.flush();
      out.print({ flushed: true }, 'Everything is in its file.');
    },
  );
  addPlanCommand<{ readonly fix?: boolean }>(
    deps,
    program,
    {
      usage: 'doctor',
      description: 'check every file, id, reference, lock and setting; exit code 1 where something is wrong',
      examples: ['doctor', 'doctor --fix'],
      options: (command) => command.option('--fix', 'mend first what can be mended without losing anything'),
      // Looking needs no write; mending does.
      target: ({ fix }) => ({ readOnly: fix !== true }),
    },
    async (_, { fix }, out, { planner }) => {
      const { problems, mended, upgraded = [] } = await planner.doctor(fix === true);
      const lines = [
        ...upgraded.map((what) => `Upgraded: ${what}`),
        ...mended.map((what) => `Mended: ${what}`),
        ...(problems.length === 0 ? ['No problems.'] : problems.map(problemLine)),
      ];
      const found = {
        problems,
        ...(fix === true ? { mended } : {}),
        ...(upgraded.length === 0 ? {} : { upgraded }),
      };
      if (problems.length === 0) out.print(found, lines);
      else out.printNo(found, lines);
    },
  );
}

function problemLine({ path, line, kind, reason, remedy }: Problem): string {
  return `${path}${line === undefined ? '' : `:${line}`}: ${kind}: ${reason}${remedy === undefined ? '' : ` ${remedy}`}`;
}
