/** A coding agent as the user configured it, or one of the presets. */
export interface AgentCommand {
  readonly name: string;
  /** A program in PATH, or an absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  /** `acp`: it speaks the Agent Client Protocol; `stdin`: it takes one prompt on standard input, and ends. */
  readonly protocol: 'acp' | 'stdin';
  /** Further variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** An MCP server that the agent gets: the plan. */
export interface PlanServer {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The tokens and the cost of an agent until now, if it reports them. */
export interface Usage {
  readonly tokens?: number;
  readonly cost_usd?: number;
}

/** The reports of an agent while it works. */
export interface AgentListener {
  /** One line of progress, without control characters. */
  readonly progress: (line: string) => void;
  readonly usage: (usage: Usage) => void;
  /** A question or a request for permission. Resolves with the answer, one of the choices if there are some; undefined without an answer. */
  readonly ask: (question: string, choices: readonly string[]) => Promise<string | undefined>;
}

/** How an agent ended its turn. */
export interface TurnEnd {
  /** `done`: it says that it is finished; `failed`: it crashed, refused, or cannot be spoken to. */
  readonly kind: 'done' | 'failed' | 'cancelled';
  /** Its last words, or why it failed. */
  readonly detail: string;
}

export interface AgentOptions {
  readonly agent: AgentCommand;
  /** The worktree, absolute. */
  readonly directory: string;
  /** All of its environment, without the variables of the agent itself. */
  readonly environment: NodeJS.ProcessEnv;
  /** Undefined: it gets no access to the plan. */
  readonly plan: PlanServer | undefined;
  readonly listener: AgentListener;
  /** A former conversation in this worktree, which is taken up again if the agent can do that. */
  readonly resumes?: string | undefined;
  /** Aborted: the agent is asked to stop, then ended with all that it started. */
  readonly signal: AbortSignal;
}

/** A conversation with an agent in a worktree. */
export interface AgentSession {
  /** Sends a prompt. Resolves when the agent ends its turn, and never rejects. */
  readonly prompt: (text: string) => Promise<TurnEnd>;
  /** A name by which the conversation may be taken up again; undefined if it cannot be. */
  readonly sessionId: string | undefined;
  /** Whether it is a former conversation that was taken up again. Never rejects. */
  readonly isResumed: Promise<boolean>;
  /** Ends the agent and all that it started. */
  readonly end: () => Promise<void>;
}
