/** The caller of a rule: its identity, and its MCP session, if any. */
export interface Acting {
  readonly caller: { readonly id: string };
  readonly session?: string | undefined;
}
