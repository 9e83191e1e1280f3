import { conflict } from '../../../base/errors.ts';
import type { Disk } from '../disk/disk.ts';
import type { FileChange, MigratedFiles } from '../disk/migration.ts';
import type { RootLayout } from '../disk/root-layout.ts';

/** A root's files with the changes of the migrations so far: each migration reads what the one before it left. */
export class ChangedFiles implements MigratedFiles {
  readonly #disk: Disk;
  readonly #layout: RootLayout;
  readonly #changes = new Map<string, Uint8Array | null>();

  constructor(disk: Disk, layout: RootLayout) {
    this.#disk = disk;
    this.#layout = layout;
  }

  list(directory: string): readonly string[] {
    const found = new Set(this.#walk(directory));
    for (const [path, content] of this.#changes) {
      if (!path.startsWith(`${directory}/`)) continue;
      if (content === null) found.delete(path);
      else found.add(path);
    }
    return [...found].sort();
  }

  read(path: string): Uint8Array | undefined {
    const changed = this.#changes.get(path);
    if (changed !== undefined) return changed ?? undefined;
    return this.#disk.readIfExists(`${this.#layout.root}/${path}`);
  }

  /** A JSON object; empty if there is no file. */
  readJson(path: string): Readonly<Record<string, unknown>> {
    const content = this.read(path);
    return content === undefined ? {} : (JSON.parse(Buffer.from(content).toString()) as Record<string, unknown>);
  }

  change({ path, content }: FileChange): void {
    requireRegularPath(this.#disk, this.#layout, path);
    this.#changes.set(path, content);
  }

  /** The differences to the files on disk, sorted by path. */
  changes(): readonly FileChange[] {
    return [...this.#changes]
      .map(([path, content]) => ({ path, content }))
      .filter(({ path, content }) => {
        const now = this.#disk.readIfExists(`${this.#layout.root}/${path}`);
        return content === null ? now !== undefined : now?.equals(content) !== true;
      })
      .sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  *#walk(directory: string): IterableIterator<string> {
    for (const { name, kind } of this.#disk.list(`${this.#layout.root}/${directory}`)) {
      const path = `${directory}/${name}`;
      if (kind === 'directory') yield* this.#walk(path);
      else if (kind === 'file') yield path;
    }
  }
}

/**
 * Throws `conflict` for a path that leaves the root or leads through a link, and for anything but a regular file: a
 * person set that up, so it is not overwritten.
 */
export function requireRegularPath(disk: Disk, layout: RootLayout, path: string): void {
  const parts = path.split('/');
  const refuse = (what: string): never => {
    throw conflict(`.planner/${path} cannot be upgraded: ${what}.`, { path });
  };
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\\')))
    refuse('it is not a path below .planner');
  for (let i = 1; i <= parts.length; i++) {
    const stat = disk.stat(`${layout.root}/${parts.slice(0, i).join('/')}`);
    if (stat !== undefined && stat.kind !== (i === parts.length ? 'file' : 'directory'))
      refuse(`${parts.slice(0, i).join('/')} is not a regular ${i === parts.length ? 'file' : 'directory'}`);
  }
}
