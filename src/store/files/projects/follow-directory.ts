import { dirname } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import type { Project } from '../project/project.ts';
import type { StoreDeps } from './store-deps.ts';

/**
 * Handles a project directory that a person renamed: the project continues in it with all pending changes, and files
 * still written under the former name are moved. Returns true if everything has to be rescanned. Returns false while
 * files are being written: the next rescan tries again.
 */
export function followDirectory(
  engine: Pick<StoreDeps, 'options' | 'layout' | 'checkpointer' | 'unserved'>,
  project: Project,
  directory: string,
): boolean {
  if (project.claims.any) return false;
  const { options, layout, checkpointer } = engine;
  const [from, to] = [`${layout.projects}/${project.directory}`, `${layout.projects}/${directory}`];
  project.directory = directory;
  engine.unserved.remove(directory);
  project.otherProblems.delete(directory);
  if (options.disk.stat(from) !== undefined) moveRemaining(options.disk, from, to, project);
  checkpointer.onDirectoryMoved(from, to);
  project.history.moveSegments(from, to);
  for (const path of [...project.files.unreadable]) {
    const state = project.files.at(path);
    if (state?.unreadable === undefined) continue;
    project.files.set({ ...state, unreadable: { ...state.unreadable, path: project.shownPath(path) } });
  }
  options.log(`The directory ${from} was renamed; its project continues in ${to}.`);
  checkpointer.schedule();
  return true;
}

/** Moves files that were written below a project's former directory after the rename. */
function moveRemaining(disk: Disk, from: string, to: string, project: Project): void {
  for (const path of [...[...project.files.values()].map((state) => state.path), ...project.segments.keys()]) {
    if (disk.stat(`${from}/${path}`)?.kind !== 'file' || disk.stat(`${to}/${path}`) !== undefined) continue;
    disk.makeDirectory(dirname(`${to}/${path}`));
    disk.rename(`${from}/${path}`, `${to}/${path}`);
    for (let left = dirname(`${from}/${path}`); left.startsWith(from); left = dirname(left))
      if (!disk.removeDirectoryIfEmpty(left)) break;
  }
}
