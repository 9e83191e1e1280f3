import { folderFile, type LocationMap } from '../../record/locations.ts';
import { eachInSteps, type Steps } from '../../../slices.ts';
import type { Disk, FileStat } from '../disk/disk.ts';
import type { Project } from '../project/project.ts';
import { isSegment } from './reconcile-segment.ts';

export interface FilesAtDeps {
  readonly disk: Disk;
  readonly locations: LocationMap;
  readonly project: Project;
  /** Absolute path of the project's directory. */
  readonly top: string;
  /** What is at an absolute path; undefined behind a link. */
  readonly statOf: (absolute: string) => FileStat | undefined;
}

/** Replaces directories by the files in them: those on disk and those that were known. */
export function* filesAt(deps: FilesAtDeps, paths: Iterable<string>): Steps<Set<string>> {
  const { project, locations } = deps;
  const files = new Set<string>();
  for (const path of paths) {
    if (project.files.at(path) !== undefined || locations.at(path) !== undefined || isSegment(path)) files.add(path);
    // Directories that cannot contain records are skipped: they may have a hundred thousand files.
    else if (path === '' || locations.mayHold(path)) yield* expandDirectory(deps, path, files);
  }
  return files;
}

function* expandDirectory(deps: FilesAtDeps, directory: string, files: Set<string>): Steps<void> {
  const { project, locations, top, statOf } = deps;
  yield;
  const stat = statOf(directory === '' ? top : `${top}/${directory}`);
  if (isTreeDirectory(locations, directory)) files.add(`${directory}/${folderFile}`);
  if (stat?.kind === 'directory') yield* walk(deps, directory, files);
  // Also known files that are gone: in a directory that is not watched yet, their removal has no event of its own.
  yield* eachInSteps(project.files.pathsBelow(directory), (path) => files.add(path));
}

function* walk(deps: FilesAtDeps, directory: string, files: Set<string>): Steps<void> {
  const { disk, locations, top } = deps;
  const directories: string[] = [];
  const found: string[] = [];
  for (const { name, kind } of disk.entries(`${top}/${directory}`)) {
    const path = directory === '' ? name : `${directory}/${name}`;
    if (kind === 'directory' && !name.startsWith('.') && locations.mayHold(path)) directories.push(path);
    else if (kind === 'file' && (locations.at(path) !== undefined || isSegment(path))) found.push(path);
    yield;
  }
  // The same order on every file system.
  for (const path of found.sort()) files.add(path);
  for (const path of directories.sort()) {
    if (isTreeDirectory(locations, path)) files.add(`${path}/${folderFile}`);
    yield* walk(deps, path, files);
  }
}

function isTreeDirectory(locations: LocationMap, path: string): boolean {
  const parts = path.split('/');
  return (
    parts.length > 1 && locations.foldersOf(parts[0] ?? '') !== undefined && !parts.some((part) => part.startsWith('.'))
  );
}
