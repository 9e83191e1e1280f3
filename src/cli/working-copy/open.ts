import { dirname } from 'node:path';
import { invalid } from '../../base/errors.ts';
import { withTarget, type CliTarget } from '../call/cli-target.ts';
import { readRootConfig } from '../service/root.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import { commandRoot } from '../worktrees/command-root.ts';
import type { RootOptions } from '../worktrees/command-root.ts';

/** The service over the files of a working copy, running or opened for the command. */
export interface WorkingCopy extends CliTarget {
  readonly root: string;
}

/**
 * Opens the files of a working copy, whatever PLANNER_URL says. Throws `invalid_argument` if the root has no files of
 * its own, because its projects are on a service.
 */
export async function withWorkingCopy<T>(
  deps: ProgramDeps,
  chosen: RootOptions,
  use: (copy: WorkingCopy) => Promise<T>,
): Promise<T> {
  if (chosen.database !== undefined)
    throw invalid('--database', '--database names a database, which has no files: leave it out.');
  const root = await commandRoot(deps, chosen);
  const { server_url: server } = await readRootConfig(root, deps.disk);
  if (server !== undefined)
    throw invalid(
      'server_url',
      `.planner/config.json names the service ${server}: its projects are there, and not in files here.`,
    );
  return withTarget(deps, { ...chosen, root: dirname(root) }, (target) => use({ ...target, root }));
}
