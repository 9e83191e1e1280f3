import { type Project, twinProblem } from '../project/project.ts';
import type { Problem } from '../../record/read-transaction.ts';

/** The path of a directory's project.json, as it is shown. */
export function shownProjectFile(directory: string): string {
  return `.planner/projects/${directory}/project.json`;
}

/** The problem of a directory with the id of a project that another directory serves. */
export function secondDirectory(known: Project, directory: string): Problem {
  return {
    path: `.planner/projects/${directory}`,
    kind: 'duplicate_project',
    reason: `The project ${known.id} is also in ${known.directory}, which is served.`,
    id: known.id,
    remedy: { code: 'separate_project' },
  };
}

/** The displayed path of this id's file in another project. */
export function pathInOtherProject(projects: Iterable<Project>, own: string, id: string): string | undefined {
  for (const project of projects) {
    const file = project.id === own ? undefined : project.files.served(id);
    if (file !== undefined) return project.shownPath(file.path);
  }
  return undefined;
}

const twinKey = '$twin ';

/** Updates the problems of project directories whose names differ in normalisation alone. */
export function listTwins(problems: Map<string, Problem>, names: readonly string[]): void {
  for (const key of problems.keys()) if (key.startsWith(twinKey)) problems.delete(key);
  const known = new Map<string, string>();
  for (const name of names) {
    const normalised = name.normalize('NFC');
    const other = known.get(normalised);
    if (other === undefined) known.set(normalised, name);
    else problems.set(`${twinKey}${name}`, twinProblem(`.planner/projects/${name}`, `.planner/projects/${other}`));
  }
}
