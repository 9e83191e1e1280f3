import type { Command } from 'commander';
import { PlannerError } from '../../errors.ts';
import type { SyncReport } from '../../sync/synchronise.ts';
import { addCommand } from '../command-line.ts';
import type { CommandOutput, CommonOptions } from '../command-line.ts';
import type { ProgramDeps } from '../program-deps.ts';
import { withWorkingCopy } from '../working-copy/open.ts';
import type { WorkingCopy } from '../working-copy/open.ts';
import { isQuiet, syncLines } from '../working-copy/sync-lines.ts';
import { openSides } from '../working-copy/sync-sides.ts';

interface SyncOptions extends CommonOptions {
  readonly watch?: boolean;
}

/** `sync`: brings a working copy and its hosted project together. */
export function addSyncCommand(deps: ProgramDeps, program: Command): void {
  addCommand<SyncOptions>(
    deps,
    program,
    {
      usage: 'sync [directory]',
      description:
        'bring a working copy and its hosted project together: what changed here goes there, and the reverse',
      examples: ['sync', 'sync ../garden', 'sync --watch'],
      options: (command) =>
        command.option('--watch', 'go on whenever one of them changes, until stopped; needs a running service'),
    },
    ([directory], options, out) =>
      withWorkingCopy(deps, directory === undefined ? options : { ...options, root: directory }, (copy) =>
        sync(deps, copy, options, out),
      ),
  );
}

async function sync(
  deps: ProgramDeps,
  copy: WorkingCopy,
  { watch = false }: SyncOptions,
  out: CommandOutput,
): Promise<void> {
  if (watch && copy.url === undefined)
    throw new PlannerError('unavailable', '--watch needs a running service: start one with planner serve.');
  const opened = await openSides(deps, copy);
  const { Synchroniser } = await import('../../sync/synchronise.ts');
  const synchroniser = new Synchroniser(opened.sides);
  const print = (report: SyncReport): void => {
    const { url, project_id: project } = opened.setting;
    out.print({ url, project_id: project, ...report }, syncLines(report, url));
  };
  if (!watch) {
    print(await synchroniser.run());
    await copy.planner.flush();
    return;
  }
  const { watchSync } = await import('../working-copy/watch-sync.ts');
  await watchSync({
    ...{ opened, files: copy.planner, synchroniser, onHindered: deps.remark },
    onReport: (report) => {
      if (!isQuiet(report)) print(report);
    },
  });
}
