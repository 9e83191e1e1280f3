/** Ids of files that contain none and whose path does not derive theirs, as they were stored in `local/`. */
export class StoredIds {
  readonly #byPath: ReadonlyMap<string, string>;
  readonly #byId: ReadonlyMap<string, string>;

  constructor(byPath: ReadonlyMap<string, string> = new Map()) {
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
