/** Ids of files that contain none and whose path does not derive theirs, as they were stored in `local/`. */
export class StoredIds {
  /** Whether they could be read: another kept id is not one any more. */
  readonly isComplete: boolean;
  readonly #byPath: ReadonlyMap<string, string>;
  readonly #byId: ReadonlyMap<string, string>;

  constructor(byPath: ReadonlyMap<string, string> = new Map(), isComplete = false) {
    this.isComplete = isComplete;
    this.#byPath = byPath;
    this.#byId = new Map([...byPath].map(([path, id]) => [id, path]));
  }

  at(path: string): string | undefined {
    return this.#byPath.get(path);
  }

  pathOf(id: string): string | undefined {
    return this.#byId.get(id);
  }
}
