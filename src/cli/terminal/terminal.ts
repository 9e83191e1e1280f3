/** Standard output and standard error: whether a person reads them, and how they are written. */
export interface Terminal {
  /** True if a person reads standard output. */
  readonly isTerminal: boolean;
  /** True if --json is given. */
  readonly json?: boolean;
  /** The width of the terminal in characters; 80 without a terminal. */
  readonly columns: () => number;
  /** Its height in lines; Infinity without a terminal. */
  readonly rows: () => number;
  /** Returns whether standard output has colours. */
  readonly colours: () => boolean;
  /** Prints a text to standard output in which control characters are escaped already. */
  readonly printEscaped: (text: string) => void;
  /** Shows a text in the pager. Resolves with false without a pager. */
  readonly page: (text: string) => Promise<boolean>;
  /**
   * Shows the progress in the last line of a terminal, in place of the former text; removes it if `text` is undefined.
   */
  readonly progress: (text: string | undefined) => void;
  /** Opens standard output for lines that nothing waits for. Control characters are not escaped. */
  readonly openLines: () => Promise<(line: string) => void>;
}
