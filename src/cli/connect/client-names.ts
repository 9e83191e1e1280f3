/**
 * The values of --client. A separate file, so that printing the usage does not load the code that edits clients' files.
 */
export const clientNames = ['claude', 'cursor', 'vscode', 'codex', 'gemini', 'zed', 'opencode', 'windsurf'] as const;

export type ClientName = (typeof clientNames)[number];
