import type { Command } from 'commander';
import { addPlanCommand, problemLine } from '../command-line.ts';
import type { ProgramDeps } from '../program-deps.ts';
import { listed, projectsOf } from '../project-choice.ts';

/** `projects`: lists the projects of the root, and the directories that are not served. */
export function addProjectsCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'projects',
      description: 'list the projects, and the directories whose records are not served',
      examples: ['projects', 'projects --json'],
      target: () => ({ readOnly: true }),
    },
    async (_, __, out, { planner }) => {
      const list = await projectsOf(planner);
      const { projects, unserved } = list;
      const lines = [
        ...projects.map(({ id, name }) => `${id}  ${name}`),
        ...unserved.map((problem) => `Not served: ${problemLine(problem)}`),
      ];
      out.print(list, lines.length === 0 ? listed(list) : lines);
    },
  );
}
