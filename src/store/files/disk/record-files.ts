import { dirname } from 'node:path';
import type { Disk } from './disk.ts';
import { RealDirectories } from './real-directories.ts';

/** The directories in which a project has most of its records. */
const recordDirectories = ['tasks', 'documents', 'goals', 'notes', 'artifacts'];

/**
 * The paths of the record files in a directory below `projects` (absolute), whether or not it is served. Read lazily:
 * whether there is one is known after a few system calls.
 */
export function* recordFiles(disk: Disk, projects: string, directory: string): IterableIterator<string> {
  const real = new RealDirectories(disk, dirname(projects));
  for (const part of recordDirectories) {
    const path = `${projects}/${directory}/${part}`;
    if (real.has(path)) yield* filesBelow(disk, path);
  }
}

/** Returns whether the directory has a record file. */
export function hasRecordFiles(disk: Disk, projects: string, directory: string): boolean {
  for (const _ of recordFiles(disk, projects, directory)) return true;
  return false;
}

function* filesBelow(disk: Disk, directory: string): IterableIterator<string> {
  for (const { name, kind } of disk.entries(directory)) {
    if (name.startsWith('.')) continue;
    if (kind === 'file') yield `${directory}/${name}`;
    else if (kind === 'directory') yield* filesBelow(disk, `${directory}/${name}`);
  }
}
