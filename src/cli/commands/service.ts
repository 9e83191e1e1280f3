import type { Command } from 'commander';
import type { Problem } from '../../store/index.ts';
import { addPlanCommand } from '../command-line.ts';
import type { ProgramParts } from '../parts.ts';

/** `flush` and `doctor`: what is asked of the files themselves. */
export function addServiceCommands(parts: ProgramParts, program: Command): void {
  addPlanCommand(
    parts,
    program,
    {
      usage: 'flush',
      description: 'return when every acknowledged change is in its file',
      examples: ['flush && git commit -m "Plan" .planner'],
    },
    async (_, __, answer, { planner }) => {
      await planner.flush();
      answer.give({ flushed: true }, 'Everything is in its file.');
    },
  );
  addPlanCommand<{ readonly fix?: boolean }>(
    parts,
    program,
    {
      usage: 'doctor',
      description: 'check every file, id, reference, lock and setting; exit code 1 where something is wrong',
      examples: ['doctor', 'doctor --fix'],
      options: (command) => command.option('--fix', 'mend first what can be mended without losing anything'),
      // Looking needs no write; mending does.
      workplace: ({ fix }) => ({ readOnly: fix !== true }),
    },
    async (_, { fix }, answer, { planner }) => {
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
      if (problems.length === 0) answer.give(found, lines);
      else answer.refuse(found, lines);
    },
  );
}

function problemLine({ path, line, kind, reason, remedy }: Problem): string {
  return `${path}${line === undefined ? '' : `:${line}`}: ${kind}: ${reason}${remedy === undefined ? '' : ` ${remedy}`}`;
}
