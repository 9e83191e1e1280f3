/** Where large texts are that nodes do not keep in memory. They are stored with their entries: see `Append.beside`. */
export interface TextStore {
  /**
   * The texts with these SHA-256, in their order; undefined for one that is not stored. An answer is limited: it has at
   * least the first, and only those after it that fit.
   */
  get(sha256s: readonly string[]): Promise<readonly (string | undefined)[]>;
}
