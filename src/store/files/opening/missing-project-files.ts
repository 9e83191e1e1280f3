import { projectCodeOf } from '../../../ids.ts';
import type { Disk } from '../disk/disk.ts';
import { RealDirectories } from '../disk/real-directories.ts';
import type { RootLayout } from '../disk/root-layout.ts';
import type { Problem } from '../../record/read-transaction.ts';

/** The directories in which a project has most of its records. */
const recordDirectories = ['tasks', 'documents', 'goals', 'notes', 'artifacts'];

/** A directory with record files and without the file of their project, which is therefore not served. */
export interface MissingProjectFile {
  /** The code in the directory's name, which begins the ids of the project's records. */
  readonly code: string | undefined;
  readonly problem: Problem;
}

/** The directories below `projects/` that have record files and no project.json. `served`: the ids of served projects. */
export function missingProjectFiles(
  disk: Disk,
  layout: RootLayout,
  served: ReadonlySet<string>,
): readonly MissingProjectFile[] {
  const real = new RealDirectories(disk, layout.root);
  if (!real.has(layout.projects)) return [];
  const codes = new Set([...served].map(projectCodeOf));
  return disk.list(layout.projects).flatMap(({ name, kind }) => {
    if (kind !== 'directory' || name.startsWith('.')) return [];
    const code = /-([0-9a-hjkmnp-tv-z]{6})$/.exec(name)?.[1];
    // The service may not have written the file of a new project yet.
    if (code !== undefined && codes.has(code)) return [];
    if (real.stat(`${layout.projects}/${name}/project.json`)?.kind === 'file') return [];
    const count = recordFiles(disk, `${layout.projects}/${name}`, real);
    return count === 0 ? [] : [{ code, problem: problemOf(name, count) }];
  });
}

function recordFiles(disk: Disk, directory: string, real: RealDirectories): number {
  let count = 0;
  for (const part of recordDirectories) {
    if (!real.has(`${directory}/${part}`)) continue;
    for (const { name, kind } of disk.list(`${directory}/${part}`))
      if (kind === 'file' && !name.startsWith('.')) count++;
  }
  return count;
}

function problemOf(directory: string, count: number): Problem {
  return {
    path: `.planner/projects/${directory}/project.json`,
    kind: 'no_project_file',
    reason: `The file is missing, so ${count === 1 ? 'the record file' : `the ${count} record files`} beside it ${count === 1 ? 'is' : 'are'} not served.`,
    remedy:
      'Restore the file: check it out from git, or copy it from a backup. The records are served as soon as it is there.',
  };
}
