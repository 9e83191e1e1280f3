/** The values of --client: apart from the clients, so that the usage is printed without what edits their files. */
export const clientNames = ['claude', 'cursor', 'vscode', 'codex', 'gemini', 'zed', 'opencode', 'windsurf'] as const;

export type ClientName = (typeof clientNames)[number];
