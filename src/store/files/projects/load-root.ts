import { projectCodeOf } from '../../../base/ids.ts';
import type { EntryBody } from '../../record/entry.ts';
import type { KeptEntry, Mark, OpenedJournal } from '../journal/journal.ts';
import { codeInName } from '../../record/project-name.ts';
import { sinceCreation } from '../recovery/since-creation.ts';
import type { StoreDeps } from './store-deps.ts';

type LoadRootDeps = Pick<
  StoreDeps,
  'options' | 'projects' | 'loader' | 'lastGood' | 'cache' | 'adoption' | 'findDirectories'
>;

/**
 * Loads every project directory, then projects that only the journal contains. The service's records were replayed
 * with the journal.
 */
export function loadRoot(
  engine: LoadRootDeps,
  { entries, marks, problems }: Pick<OpenedJournal, 'entries' | 'marks' | 'problems'>,
): void {
  for (const { path, line, reason } of problems) engine.options.log(`journal: ${path}, line ${line}: ${reason}`);
  const byProject = new Map<string, KeptEntry<EntryBody>[]>();
  for (const entry of entries as readonly KeptEntry<EntryBody>[]) {
    const list = byProject.get(entry.project);
    if (list === undefined) byProject.set(entry.project, [entry]);
    else list.push(entry);
  }
  const dropped = new Set([...byProject].filter(([, list]) => sinceCreation(list).length === 0).map(([id]) => id));
  const marksByProject = Map.groupBy(marks, ({ project }) => project);
  const marksOf = (id: string): readonly Mark[] => marksByProject.get(id) ?? [];
  engine.cache.open();
  const load = (directory: string, id: string): void => {
    if (dropped.has(id)) engine.adoption.moveToTrash(directory);
    else engine.adoption.load(directory, byProject.get(id) ?? [], marksOf(id), id);
  };
  const others: string[] = [];
  for (const directory of engine.loader.directories()) {
    const claim = engine.loader.claimOf(directory);
    if (claim?.isRead === true) load(directory, claim.id);
    else others.push(directory);
  }
  // After the others: a directory whose file is readable has its project.
  for (const directory of others) {
    const id = knownId(engine, byProject.keys(), directory) ?? engine.loader.idOf(directory);
    if (id !== undefined && !engine.projects.has(id)) load(directory, id);
  }
  engine.cache.forget();
  for (const [id, list] of byProject)
    if (!engine.projects.has(id) && !dropped.has(id)) engine.adoption.loadFromJournal(id, list, marksOf(id));
  engine.findDirectories();
}

/**
 * The id of the project of a directory whose project.json is missing or unreadable: its last good version is served.
 * Undefined if no former version, or more than one project, is known.
 */
function knownId(engine: LoadRootDeps, journaled: Iterable<string>, directory: string): string | undefined {
  const cached = engine.cache.idOf(directory);
  if (cached !== undefined) return cached;
  const code = codeInName(directory);
  if (code === undefined) return undefined;
  const ids = new Set([...journaled].filter((id) => projectCodeOf(id) === code));
  for (const id of engine.lastGood.projects(code)) ids.add(id);
  return ids.size === 1 ? [...ids][0] : undefined;
}
