/** What a rule may know of the call that it serves: who calls, and in which MCP session, if in one. */
export interface Acting {
  readonly caller: { readonly id: string };
  readonly session?: string | undefined;
}
