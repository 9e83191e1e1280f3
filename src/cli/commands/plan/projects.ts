import type { Command } from 'commander';
import { addPlanCommand, problemLine } from '../../call/command-line.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { listed, projectsOf, unservedOf } from '../../call/project-choice.ts';

/** `projects`: lists the projects of the root, and missing and unreadable files of projects. */
export function addProjectsCommand(deps: ProgramDeps, program: Command): void {
  addPlanCommand(
    deps,
    program,
    {
      usage: 'projects',
      description: 'list the projects, and those whose project.json is missing or unreadable',
      examples: ['projects', 'projects --json'],
    },
    async (_, __, out, { planner }) => {
      const list = await projectsOf(planner);
      const { projects, problems } = list;
      const unserved = unservedOf(list);
      const lines = [
        ...projects.map(({ id, name }) => `${id}  ${name}`),
        ...problems.map((one) => `${unserved.includes(one) ? 'Not served' : 'Problem'}: ${problemLine(one)}`),
      ];
      out.print({ projects, ...(problems.length > 0 && { problems }) }, lines.length === 0 ? listed(list) : lines);
    },
  );
}
