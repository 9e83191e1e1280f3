import type { Project } from '../project/project.ts';
import type { Problem } from '../../record/read-transaction.ts';

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

/** The problem of a directory whose project id is unknown. */
export function unreadableProject(directory: string): Problem {
  return {
    path: `.planner/projects/${directory}/project.json`,
    kind: 'unreadable',
    reason: 'The file cannot be read, and it contains no id of the project.',
    remedy: 'Repair the file in an editor, or check it out again.',
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
