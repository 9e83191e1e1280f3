import type { PlanComparer } from '../cli/diff/plan-comparer.ts';
import type {
  ComparableFile,
  ComparablePlan,
  ComparableProblem,
  ComparableProject,
  ComparableRecords,
} from '../domain/comparison/comparable.ts';
import { comparePlans } from '../domain/comparison/compare-plans.ts';
import { collections } from '../domain/records/collections.ts';
import { isObject } from '../base/is-object.ts';
import type { Link, StoredRecord, TreeFile } from '../store/index.ts';
import { PlanTree, placeInProject, settingsPath } from '../store/files/tree/plan-tree.ts';
import { readProject } from '../store/files/tree/read-project.ts';
import type { TreeProblem, TreeProject } from '../store/files/tree/read-project.ts';

/** Compares plans by their files, for `planner diff`. */
export function planComparer(): PlanComparer {
  const tree = new PlanTree(collections);
  return {
    isRead: (path) => tree.isRead(path),
    refusalOf: (file) => tree.refusalOf(file),
    filesOn: (disk, root) => tree.filesOn(disk, root),
    compare: (before, after) => comparePlans(planOf(before), planOf(after)),
  };
}

const rootName = '.planner';

function planOf(files: readonly TreeFile[]): ComparablePlan {
  const byDirectory = Map.groupBy(files, ({ path }) => placeInProject(path)?.directory);
  const { settings, unreadable } = settingsOf(files.find(({ path }) => path === settingsPath));
  const projects = Array.from(byDirectory, ([directory, ofProject]) =>
    directory === undefined ? undefined : projectOf(directory, ofProject),
  );
  return { settings, unreadable, projects: projects.filter((project) => project !== undefined) };
}

function settingsOf(file: TreeFile | undefined): Pick<ComparablePlan, 'settings' | 'unreadable'> {
  if (file === undefined) return { settings: {}, unreadable: [] };
  const refused = (reason: string): Pick<ComparablePlan, 'settings' | 'unreadable'> => ({
    settings: {},
    unreadable: [{ path: `${rootName}/${file.path}`, reason }],
  });
  if (file.bytes === undefined) return refused(file.refused ?? 'It was not read.');
  try {
    const settings: unknown = JSON.parse(Buffer.from(file.bytes).toString());
    return isObject(settings) ? { settings, unreadable: [] } : refused('It must contain a JSON object.');
  } catch (error) {
    return refused(`It is no JSON: ${(error as Error).message}.`);
  }
}

function projectOf(directory: string, files: readonly TreeFile[]): ComparableProject {
  const top = `projects/${directory}/`;
  const inside = files.map((file) => ({ ...file, path: file.path.slice(top.length) }));
  const project = readProject(collections, directory, inside);
  const shown = (path: string): string => `${rootName}/${top}${path}`;
  const problems = (found: readonly TreeProblem[]): readonly ComparableProblem[] =>
    found.map((problem) => ({ ...problem, path: shown(problem.path) }));
  return {
    id: project.id,
    records: recordsOf(project),
    fileOf: (id) => fileOf(project, id, shown),
    unreadable: problems(project.unreadable),
    notes: problems(project.notes),
  };
}

function fileOf({ files }: TreeProject, id: string, shown: (path: string) => string): ComparableFile | undefined {
  const file = files.get(id);
  return file && { ...file, path: shown(file.path) };
}

/** The records of a project, with the types of Planner's collections. */
function recordsOf({ id: project, index }: TreeProject): ComparableRecords {
  const records = {
    project,
    get: (collection: string, id: string): StoredRecord | undefined => index.table(collection).get(id),
    by: (collection: string, name: string, key: string): readonly StoredRecord[] =>
      index.table(collection).by(name, key),
    find: (id: string) => index.find(id),
    list: (collection: string): Iterable<StoredRecord> => index.table(collection).list(),
    outgoing: (id: string): readonly { readonly link: Link }[] => index.outgoing(id),
  };
  return records as unknown as ComparableRecords;
}
