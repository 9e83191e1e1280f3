import { folderFile, type LocationMap } from '../../record/locations.ts';
import { eachInSteps, type Steps } from '../../../base/slices.ts';
import type { Disk, FileStat } from '../disk/disk.ts';
import type { Project } from '../project/project.ts';
import { dirname } from 'node:path';
import { replacement } from '../project/invalid-names.ts';
import { inspectNameOf, inspectNames } from './inspect-names.ts';
import { addMissingProjectFile } from './missing-project-file.ts';
import { isSegment } from './reconcile-segment.ts';

export interface FilesAtDeps {
  readonly disk: Disk;
  readonly locations: LocationMap;
  readonly project: Project;
  /** Absolute path of the project's directory. */
  readonly top: string;
  /** The stat at an absolute path; undefined below a link. */
  readonly statOf: (absolute: string) => FileStat | undefined;
}

/** Replaces directories by the files in them: the files on disk and the known ones. */
export function* filesAt(deps: FilesAtDeps, paths: Iterable<string>): Steps<Set<string>> {
  const { project, locations } = deps;
  const files = new Set<string>();
  const names = { disk: deps.disk, projectsDirectory: dirname(deps.top) };
  for (const path of paths) {
    inspectNameOf(names, project, path);
    if (project.files.at(path) !== undefined || locations.at(path) !== undefined || isSegment(path)) files.add(path);
    // Directories that cannot contain records are skipped: they may have a hundred thousand files.
    else if (path === '' || locations.mayHold(path)) yield* expandDirectory(deps, path, files);
  }
  addMissingProjectFile(project, files);
  return files;
}

function* expandDirectory(deps: FilesAtDeps, directory: string, files: Set<string>): Steps<void> {
  const { project, locations, top, statOf } = deps;
  yield;
  const stat = statOf(directory === '' ? top : `${top}/${directory}`);
  if (locations.isFolder(directory)) files.add(`${directory}/${folderFile}`);
  if (stat?.kind === 'directory') yield* walk(deps, directory, files);
  // Also known files that are gone: in a directory that is not watched yet, their removal has no event of its own.
  yield* eachInSteps(project.files.pathsBelow(directory), (path) => files.add(path));
  // And new ones that are being written: they are looked at when the write has ended.
  for (const path of project.claims.below(directory)) if (locations.at(path) !== undefined) files.add(path);
}

function* walk(deps: FilesAtDeps, directory: string, files: Set<string>): Steps<void> {
  const { disk, locations, project, top } = deps;
  const directories: string[] = [];
  const found: string[] = [];
  let isInvalid = project.invalidNames.has(directory);
  for (const { name, kind } of disk.entries(`${top}/${directory}`)) {
    isInvalid ||= name.includes(replacement);
    const path = directory === '' ? name : `${directory}/${name}`;
    if (kind === 'directory' && !name.startsWith('.') && locations.mayHold(path)) directories.push(path);
    else if (kind === 'file' && (locations.at(path) !== undefined || isSegment(path))) found.push(path);
    yield;
  }
  if (isInvalid) inspectNames({ disk, projectsDirectory: dirname(top) }, project, directory);
  // The order is equal on every file system.
  for (const path of found.sort()) files.add(path);
  for (const path of directories.sort()) {
    if (locations.isFolder(path)) files.add(`${path}/${folderFile}`);
    yield* walk(deps, path, files);
  }
}
