/**
 * Answers that are kept for repeats of calls, for a day by the log's clock. Appends store them, beside their entries; no
 * replica has them.
 */
export interface AnswerStore {
  /**
   * The answer that a call was given; undefined if there is none, or if it has expired. Whatever was acknowledged before
   * the question is found, and what is found survives a fail-over.
   */
  find(id: string): Promise<string | undefined>;
  /** Removes those that have expired. Resolves to their number. */
  sweep(): Promise<number>;
}
