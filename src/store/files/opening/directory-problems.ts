import type { Project } from '../project/project.ts';
import type { Problem } from '../../record/view.ts';

/** A directory with the id of a project that another directory serves. */
export function secondDirectory(known: Project, directory: string): Problem {
  return {
    path: `.planner/projects/${directory}`,
    kind: 'duplicate_project',
    reason: `The project ${known.id} lies in ${known.directory} too, which is served.`,
    id: known.id,
    remedy: 'Remove one of the two directories, or run planner doctor --fix to give the copy ids of its own.',
  };
}

/** A directory whose project cannot be told. */
export function unreadableProject(directory: string): Problem {
  return {
    path: `.planner/projects/${directory}/project.json`,
    kind: 'unreadable',
    reason: 'The file cannot be read and no id of the project can be found in it.',
    remedy: 'Mend the file in an editor, or check it out again.',
  };
}

/** Where a record of this id lies in another project than this one, as people see the path. */
export function whereElse(projects: Iterable<Project>, own: string, id: string): string | undefined {
  for (const project of projects) {
    const file = project.id === own ? undefined : project.files.served(id);
    if (file !== undefined) return project.shownPath(file.path);
  }
  return undefined;
}
