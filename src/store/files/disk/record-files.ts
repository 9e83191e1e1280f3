import type { Disk } from './disk.ts';
import { RealDirectories } from './real-directories.ts';
import type { RootLayout } from './root-layout.ts';

/** The directories in which a project has most of its records. */
const recordDirectories = ['tasks', 'documents', 'goals', 'notes', 'artifacts'];

/**
 * The record files in a directory below `projects/`, whether or not it is served. Read lazily: whether there is one is
 * known after a few system calls.
 */
export function* recordFiles(disk: Disk, layout: RootLayout, directory: string): IterableIterator<string> {
  const real = new RealDirectories(disk, layout.root);
  for (const part of recordDirectories) {
    const path = `${layout.projects}/${directory}/${part}`;
    if (real.has(path)) yield* filesBelow(disk, path);
  }
}

function* filesBelow(disk: Disk, directory: string): IterableIterator<string> {
  for (const { name, kind } of disk.entries(directory)) {
    if (name.startsWith('.')) continue;
    if (kind === 'file') yield `${directory}/${name}`;
    else if (kind === 'directory') yield* filesBelow(disk, `${directory}/${name}`);
  }
}
