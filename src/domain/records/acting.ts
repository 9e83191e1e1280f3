import type { RepositoryClaims } from './repository-claims.ts';

/** The caller of a rule: its identity, and its MCP session, if any. */
export interface Acting {
  readonly caller: { readonly id: string };
  readonly session?: string | undefined;
  /** Present if other worktrees of the repository have plans of their own. */
  readonly claims?: RepositoryClaims | undefined;
}
