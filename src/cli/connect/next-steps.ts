import { join } from 'node:path';
import type { Disk } from '../../store/index.ts';
import { gitIgnores } from './git.ts';

/** Hints on how git treats a new plan: no repository, or a rule that leaves the plan out. */
export async function gitHints(disk: Disk, directory: string): Promise<readonly string[]> {
  const settings = '.planner/config.json';
  const ignored = await gitIgnores(disk, directory, settings);
  if (ignored === 'no_repository')
    return ['This directory is in no git repository: git init keeps the history of the plan; then run this again.'];
  if (ignored !== 'ignored') return [];
  return [
    `Git ignores .planner: the plan stays on this machine. git check-ignore -v ${settings} shows the rule, if it is to be committed.`,
  ];
}

/** Plans of other tools that are in a directory, as arguments of `planner import`. */
export async function plansIn(disk: Disk, directory: string): Promise<readonly string[]> {
  const { planFormats } = await import('../../exchange/plan-formats.ts');
  const checklists = disk.list(directory).filter(({ name, kind }) => kind === 'file' && /^todo\.(md|txt)$/i.test(name));
  const tools = planFormats
    .flatMap(({ places }) => places)
    // Others are names that any repository may have.
    .filter((place) => place.startsWith('.') || place === 'backlog')
    .filter((place) => disk.stat(join(directory, place)) !== undefined);
  return [...checklists.map(({ name }) => name), ...tools];
}
