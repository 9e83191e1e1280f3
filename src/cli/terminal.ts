/** Standard output and standard error: whether a person reads them, and how they are written. */
export interface Terminal {
  /** Whether a person reads standard output. */
  readonly isTerminal: boolean;
  /** Whether --json is given. */
  readonly json?: boolean;
  /** The width of the terminal in characters; 80 if there is none. */
  readonly columns: () => number;
  /** Its height in lines; Infinity if there is none. */
  readonly rows: () => number;
  /** Whether standard output has colours. */
  readonly colours: () => boolean;
  /** Prints a text to standard output in which control characters are escaped already. */
  readonly printEscaped: (text: string) => void;
  /** Shows a text in the pager. Resolves with false if there is none. */
  readonly page: (text: string) => Promise<boolean>;
  /** Shows what goes on in the last line of a terminal, in place of what it showed before; nothing if it has ended. */
  readonly progress: (text: string | undefined) => void;
  /** Opens standard output for lines that nothing waits for. Control characters are not escaped. */
  readonly openLines: () => Promise<(line: string) => void>;
}
