import { PlannerError } from '../../base/errors.ts';
import { Synchroniser } from '../../sync/synchronise.ts';
import type { SyncReport } from '../../sync/synchronise.ts';
import type { CommandOutput, CommonOptions } from '../call/command-line.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import { withWorkingCopy } from './open.ts';
import type { WorkingCopy } from './open.ts';
import { idsIn, isQuiet, syncLines } from './sync-lines.ts';
import { openSides } from './sync-sides.ts';
import { watchSync } from './watch-sync.ts';

export interface SyncOptions extends CommonOptions {
  readonly watch?: boolean;
}

/** Brings a working copy and its hosted project together. */
export function sync(deps: ProgramDeps, options: SyncOptions, out: CommandOutput): Promise<void> {
  return withWorkingCopy(deps, options, (copy) => synchronise(deps, copy, options, out));
}

async function synchronise(
  deps: ProgramDeps,
  copy: WorkingCopy,
  { watch = false }: SyncOptions,
  out: CommandOutput,
): Promise<void> {
  if (watch && copy.url === undefined)
    throw new PlannerError('unavailable', '--watch needs a running service: start one with planner serve.');
  const opened = await openSides(deps, copy);
  const synchroniser = new Synchroniser(opened.sides);
  const print = async (report: SyncReport): Promise<void> => {
    const { url, project_id: project } = opened.setting;
    out.printLive({ url, project_id: project, ...report }, syncLines(report, url, await namesOf(copy, idsIn(report))));
  };
  if (!watch) {
    await print(await synchroniser.run());
    await copy.planner.flush();
    return;
  }
  await watchSync({
    ...{ opened, files: copy.planner, synchroniser, onHindered: deps.remark },
    onReport: async (report) => {
      if (!isQuiet(report)) await print(report);
    },
  });
}

/** The names of the records with these ids; edges and comments have no name. */
async function namesOf({ planner }: WorkingCopy, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const text of ids) {
    const found = await planner.call('find_record', { text }).catch(() => undefined);
    const name = (found?.['record'] as { readonly name?: string | null } | undefined)?.name;
    if (typeof name === 'string') names.set(text, JSON.stringify(name));
  }
  return names;
}
