import type { Disk } from '../disk/disk.ts';
import { RealDirectories } from '../disk/real-directories.ts';
import { fileBytesMax } from '../edits/read-state.ts';
import type { Collection } from '../../record/collection.ts';
import { isRowsPath } from '../../record/folder-rows.ts';
import { LocationMap } from '../../record/locations.ts';

/** A file of a root, in memory. */
export interface TreeFile {
  /** Relative to the root, with `/`. */
  readonly path: string;
  /** Undefined if it is not read. */
  readonly bytes?: Uint8Array;
  /** The reason why it is not read. */
  readonly refused?: string;
}

/** A file that is listed and not read yet. */
export interface ListedFile {
  readonly path: string;
  readonly size: number;
}

/** The settings of a root. */
export const settingsPath = 'config.json';

/** The directory of a project and the path in it; undefined for a path outside of the projects. */
export function placeInProject(path: string): { readonly directory: string; readonly path: string } | undefined {
  const [, directory, inside] = /^projects\/([^/.][^/]*)\/(.+)$/s.exec(path) ?? [];
  return directory === undefined || inside === undefined ? undefined : { directory, path: inside };
}

/** The files of a root that records are read from, wherever the root is: on a disk, or in a commit. */
export class PlanTree {
  readonly #locations: LocationMap;

  constructor(collections: readonly Collection[]) {
    this.#locations = new LocationMap(collections);
  }

  /** Returns whether a path of a root is that of a file with a record, with the rows of folders, or with its settings. */
  isRead(path: string): boolean {
    const place = placeInProject(path);
    if (place === undefined) return path === settingsPath;
    return isRowsPath(place.path) || this.#locations.at(place.path) !== undefined;
  }

  /** The reason why a file of this size is not read, as the service says it. */
  refusalOf({ path, size }: ListedFile): string | undefined {
    const collection = this.#locations.at(placeInProject(path)?.path ?? '');
    if (collection === undefined || size <= fileBytesMax(collection)) return undefined;
    return `The file has ${size} bytes; at most ${fileBytesMax(collection)} are read.`;
  }

  /** Reads the files of a root on a disk. No symbolic link is followed. */
  filesOn(disk: Disk, root: string): TreeFile[] {
    const files: TreeFile[] = [];
    const real = new RealDirectories(disk, root);
    const read = (path: string): void => void files.push(this.#fileOn(disk, root, path));
    if (disk.stat(`${root}/${settingsPath}`) !== undefined) read(settingsPath);
    if (!real.has(`${root}/projects`)) return files;
    for (const { name, kind } of disk.list(`${root}/projects`))
      if (kind === 'directory' && !name.startsWith('.')) this.#readBelow(disk, root, `projects/${name}`, read);
    return files;
  }

  #readBelow(disk: Disk, root: string, directory: string, read: (path: string) => void): void {
    for (const { name, kind } of disk.list(`${root}/${directory}`)) {
      const path = `${directory}/${name}`;
      if (kind !== 'directory') {
        if (this.isRead(path)) read(path);
      } else if (!name.startsWith('.') && this.#locations.mayHold(placeInProject(path)?.path ?? '')) {
        this.#readBelow(disk, root, path, read);
      }
    }
  }

  #fileOn(disk: Disk, root: string, path: string): TreeFile {
    const stat = disk.stat(`${root}/${path}`);
    if (stat?.kind !== 'file') return { path, refused: notAFile };
    const refused = this.refusalOf({ path, size: stat.size });
    if (refused !== undefined) return { path, refused };
    try {
      return { path, bytes: disk.read(`${root}/${path}`) };
    } catch (error) {
      return { path, refused: `The file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).` };
    }
  }
}

/** The reason why a link, or anything else that is no file, is not read. */
export const notAFile = 'It is a symbolic link, or no file: records are read from files alone.';
