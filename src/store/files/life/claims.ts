import { foldName } from '../../record/file-name.ts';

interface Claim {
  readonly folded: string;
  /** The number of events for the path since it was claimed. */
  events: number;
}

/**
 * The paths of a project that are being written. Until a write ends, its file may have either value: it is not
 * reconciled, and no other record is assigned its path.
 */
export class Claims {
  readonly #claims = new Map<string, Claim>();
  readonly #folded = new Set<string>();
  #folders = 0;

  /** True if anything is being written. */
  get any(): boolean {
    return this.#claims.size > 0;
  }

  /**
   * True if a folder is being moved, or its own file is being written: files are found by their folder's id, so that
   * none can be reconciled.
   */
  get hasFolder(): boolean {
    return this.#folders > 0;
  }

  has(path: string): boolean {
    return this.#claims.has(path);
  }

  /** Returns whether a path is claimed, ignoring letter case. */
  hasFolded(path: string): boolean {
    return this.#folded.has(foldName(path));
  }

  /** The claimed paths in a directory and in those below it; all for ''. */
  *below(directory: string): Iterable<string> {
    for (const path of this.#claims.keys()) if (directory === '' || path.startsWith(`${directory}/`)) yield path;
  }

  /** Returns whether the file at a path cannot be reconciled now. */
  blocks(path: string): boolean {
    return this.hasFolder || this.#claims.has(path);
  }

  claim(paths: readonly string[], isFolder: boolean): void {
    if (isFolder) this.#folders++;
    for (const path of paths) {
      const folded = foldName(path);
      this.#claims.set(path, { folded, events: 0 });
      this.#folded.add(folded);
    }
  }

  /** Ends the claims of a job. Returns the paths for which more than `own` events have arrived. */
  release(paths: readonly string[], isFolder: boolean, own: number): readonly string[] {
    if (isFolder) this.#folders--;
    return paths.filter((path) => this.#release(path) > own);
  }

  #release(path: string): number {
    const claim = this.#claims.get(path);
    if (claim === undefined) return 0;
    this.#claims.delete(path);
    this.#folded.delete(claim.folded);
    return claim.events;
  }

  /**
   * Counts events for a path that is being written; after the write they are compared with its own ones. Returns false
   * if the path is not being written.
   */
  countEvents(path: string, events: number): boolean {
    const claim = this.#claims.get(path);
    if (claim === undefined) return false;
    claim.events += events;
    return true;
  }
}
