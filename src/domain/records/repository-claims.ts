/** A task that an agent holds. */
export interface HeldTask {
  readonly project: string;
  readonly task: string;
  readonly agent_ref: string;
  /** Null: the claim does not expire. */
  readonly expires_at: string | null;
}

/** A claim of another worktree, in the form for callers. */
export interface ClaimElsewhere {
  readonly agent_ref: string;
  readonly worktree: string;
  readonly branch: string | null;
}

/** Claims in the other worktrees of the repository, for rules. */
export interface RepositoryClaims {
  /** The tasks of a project that other worktrees hold. */
  heldElsewhere(project: string, now: string): ReadonlySet<string>;
  /**
   * Claims a task for this worktree, before the transaction commits, or renews the claim. Returns the claim of another
   * worktree if there is one; then nothing is claimed.
   */
  hold(held: HeldTask, now: string): ClaimElsewhere | undefined;
}
