/** Standard output: whether a person reads it, and how lines are written to it. */
export interface Terminal {
  /** Whether a person reads standard output. */
  readonly isTerminal: boolean;
  /** Whether --json is given. */
  readonly json?: boolean;
  /** Opens standard output for lines that nothing waits for. Control characters are not escaped. */
  readonly openLines: () => Promise<(line: string) => void>;
}
