/** One step of an agent that follows a script. Paths are relative to the agent's directory. */
export type Step =
  /** Writes a file. */
  | { readonly write: string; readonly text: string }
  /** Commits everything. */
  | { readonly commit: string }
  /** Runs a command line in the shell, and prints its output. Fails with it. */
  | { readonly run: string }
  /** Says a line: a message over ACP, with SERVERS replaced by the MCP servers that it was given. */
  | { readonly print: string }
  /** Writes a line to standard error. */
  | { readonly warn: string }
  /** Says many lines, each of 80 characters. */
  | { readonly flood: number }
  /**
   * Asks, waits for the answer, and says `Answer: …`. With choices it is a request for permission, without ones a question
   * in a form. On standard input nothing can be asked: it says the question.
   */
  | { readonly ask: string; readonly choices?: readonly string[] }
  /** Reports a call of a tool, and says it on standard input. */
  | { readonly tool: string }
  /** Reports a plan; the first entry is in progress. */
  | { readonly plan: readonly string[] }
  /** Reports usage; only over ACP. */
  | { readonly tokens: number; readonly cost_usd?: number }
  /** Ends the turn with this reason; only over ACP. */
  | { readonly stop: string }
  /** Writes text to standard output that is no message, without a line end. */
  | { readonly raw: string }
  | { readonly sleep: number }
  /** Waits until a file exists. */
  | { readonly until: string }
  /** From now on SIGTERM, and over ACP a cancellation, change nothing. */
  | { readonly stubborn: true }
  /** Starts another program that does not end by itself, and writes its process id to a file. */
  | { readonly leave: string }
  /** Never goes on. */
  | { readonly hang: true }
  | { readonly exit: number };

/** A script for the prompts in which a text occurs; without `when`, for all. */
export interface Part {
  readonly when?: string;
  /** The steps of each turn in a directory; the last ones for all further turns. */
  readonly turns: readonly (readonly Step[])[];
}

/** The contents of a scenario file. */
export interface Scenario {
  /** What is unusual about the start of one that speaks ACP. */
  readonly start?: 'hang' | 'garbage' | 'crash' | 'other version' | 'signed out';
  /** Over ACP: it takes a former session up again. */
  readonly resumes?: boolean;
  /** The first that fits the first prompt in a directory counts for all prompts there. */
  readonly parts: readonly Part[];
}

/** A scenario of one part for all prompts. */
export function scenario(...turns: readonly (readonly Step[])[]): Scenario {
  return { parts: [{ turns }] };
}
