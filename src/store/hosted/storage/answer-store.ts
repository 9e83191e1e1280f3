/**
 * Answers that are kept for repeats of calls, for a day by the log's clock. Appends store themwith their entries; no
 * replica has them.
 */
export interface AnswerStore {
  /**
   * The answer that a call was given; undefined for no answer, or an expired one. Every answer acknowledged before the
   * question is found, and survives a fail-over.
   */
  find(id: string): Promise<string | undefined>;
  /** Removes the expired answers. Resolves to their number. */
  sweep(): Promise<number>;
}
