import { dirname } from 'node:path';
import type { Command } from 'commander';
import { addCommand } from '../../call/command-line.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { nearestRoot } from '../../service/root.ts';
import { registerMergeDriver } from '../../git/merge-registration.ts';
import { makePlannerRoot } from '../../call/make-root.ts';
import { rootToInit } from '../../worktrees/command-root.ts';
import { nameSharedRoot } from '../../worktrees/root-setting.ts';

/** `init`: creates a `.planner` without a project, and configures git for it. */
export function addInitCommand(deps: ProgramDeps, program: Command): void {
  addCommand(
    deps,
    program,
    {
      usage: 'init',
      isChange: true,
      description:
        'create a .planner without a project, and configure git for it, as connect does, too; a repeated run changes nothing',
      examples: ['init', 'init --root ../my-repository'],
    },
    async (_, options, out) => {
      const { disk } = deps;
      const root = await rootToInit(deps, options);
      const above = disk.stat(root) === undefined ? nearestRoot(dirname(dirname(root)), disk) : undefined;
      const done = [
        ...makePlannerRoot(deps, root),
        ...(await registerMergeDriver(dirname(root), deps.program)),
        ...(options.own === true ? [] : await nameSharedRoot(disk, root)),
      ];
      out.print({ root, done }, [
        ...(done.length === 0
          ? [`${root} already exists and is complete.`]
          : [`${root}:`, ...done.map((what) => `  ${what}`)]),
        ...(above === undefined ? [] : [`Note: ${above} in a parent directory is no longer used from here.`]),
        hasProject(disk, root)
          ? 'Next: planner connect binds this repository to a project, and lets coding agents work on it; planner open shows the page.'
          : 'There is no project yet. Next: planner connect makes one, named after this directory, and lets coding agents work on it.',
      ]);
    },
  );
}

const hasProject = (disk: ProgramDeps['disk'], root: string): boolean => disk.list(`${root}/projects`).length > 0;
