import { invalidNames, replacement } from '../project/invalid-names.ts';
import { directoryOf } from '../../record/locations.ts';
import type { Project } from '../project/project.ts';
import type { ReaderContext } from './read-state.ts';

type Deps = Pick<ReaderContext, 'disk' | 'projectsDirectory'>;

/** Updates the problems of the names in a directory of a project. */
export function inspectNames({ disk, projectsDirectory }: Deps, project: Project, directory: string): void {
  const absolute = `${projectsDirectory}/${project.directory}/${directory}`;
  const problems = invalidNames(disk, absolute, project.shownPath(directory === '' ? '' : `${directory}/`));
  if (problems.length === 0) project.invalidNames.delete(directory);
  else project.invalidNames.set(directory, problems);
}

/** Inspects a path that changed: if it has such a name, or if it was a directory with such names, or above one. */
export function inspectNameOf(deps: Deps, project: Project, path: string): void {
  const at = path.indexOf(replacement);
  if (at !== -1) inspectNames(deps, project, directoryOf(path.slice(0, at)));
  if (project.invalidNames.size === 0) return;
  for (const directory of [...project.invalidNames.keys()])
    if (path === '' || directory === path || directory.startsWith(`${path}/`)) inspectNames(deps, project, directory);
}
