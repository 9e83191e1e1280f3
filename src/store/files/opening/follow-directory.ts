import { dirname } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import type { Project } from '../project/project.ts';
import type { StoreParts } from './store-deps.ts';

/**
 * A person renamed a project's directory: the project goes on in it, with all that is pending; what was still written under the former
 * name is put where it belongs. Answers true where everything is to be looked at again. False while files are being written: the next
 * look follows.
 */
export function followDirectory(engine: StoreParts, project: Project, directory: string): boolean {
  if (project.writing || project.moving > 0) return false;
  const { options, layout, checkpointer } = engine;
  const [from, to] = [`${layout.projects}/${project.directory}`, `${layout.projects}/${directory}`];
  project.directory = directory;
  project.otherProblems.delete(directory);
  if (options.disk.stat(from) !== undefined) takeAlong(options.disk, from, to, project);
  checkpointer.moved(from, to);
  for (const path of project.segments.keys()) {
    project.history.dropSegment(`${from}/${path}`);
    project.history.addSegment(`${to}/${path}`);
  }
  for (const path of [...project.files.unreadable]) {
    const state = project.files.at(path);
    if (state?.unreadable === undefined) continue;
    project.files.set({ ...state, unreadable: { ...state.unreadable, path: project.shownPath(path) } });
  }
  options.log(`The directory ${from} was renamed; its project goes on in ${to}.`);
  checkpointer.schedule();
  return true;
}

/** Files that were written below a project's former directory after it had been renamed. */
function takeAlong(disk: Disk, from: string, to: string, project: Project): void {
  for (const path of [...[...project.files.values()].map((state) => state.path), ...project.segments.keys()]) {
    if (disk.stat(`${from}/${path}`)?.kind !== 'file' || disk.stat(`${to}/${path}`) !== undefined) continue;
    disk.makeDirectory(dirname(`${to}/${path}`));
    disk.rename(`${from}/${path}`, `${to}/${path}`);
    for (let left = dirname(`${from}/${path}`); left.startsWith(from); left = dirname(left))
      if (!disk.removeDirectoryIfEmpty(left)) break;
  }
}
