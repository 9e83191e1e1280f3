/**
 * The command with which a client starts the bridge: by the program's name, so that a committed entry works on every
 * machine.
 */
const start = { command: 'planner', args: ['mcp'] } as const;

/** An MCP client, its configuration file, and the entry that `planner connect` writes there. */
export interface McpClient {
  /** The value for `planner connect --client`. */
  readonly id: string;
  readonly name: string;
  /** Relative to the repository; to the home directory if it begins with `~`. */
  readonly file: string;
  readonly entry: string;
}

const json = (value: object): string => JSON.stringify(value, undefined, 2);
const servers = (member: string, entry: object): string => json({ [member]: { planner: entry } });

/** The content of the file; in an existing file the entry is added to the others. It contains no secret: the bridge reads `.planner/token`. */
export const mcpClients: readonly McpClient[] = [
  { id: 'claude', name: 'Claude Code', file: '.mcp.json', entry: servers('mcpServers', start) },
  { id: 'cursor', name: 'Cursor', file: '.cursor/mcp.json', entry: servers('mcpServers', start) },
  { id: 'vscode', name: 'VS Code', file: '.vscode/mcp.json', entry: servers('servers', { type: 'stdio', ...start }) },
  {
    id: 'codex',
    name: 'Codex',
    file: '.codex/config.toml',
    entry: `[mcp_servers.planner]\ncommand = ${JSON.stringify(start.command)}\nargs = ${JSON.stringify(start.args)}`,
  },
  { id: 'gemini', name: 'Gemini CLI', file: '.gemini/settings.json', entry: servers('mcpServers', start) },
  { id: 'zed', name: 'Zed', file: '.zed/settings.json', entry: servers('context_servers', start) },
  {
    id: 'opencode',
    name: 'OpenCode',
    file: 'opencode.json',
    entry: servers('mcp', { type: 'local', command: [start.command, ...start.args] }),
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    file: '~/.codeium/windsurf/mcp_config.json',
    // A client with a per-user file does not start in a repository: the entry must name the repository.
    entry: servers('mcpServers', { ...start, args: [...start.args, '--root', '/path/to/the/repository'] }),
  },
];

/** The shell command for the whole setup. */
export function connectCommand(projectId: string, client: string, elsewhere: string | undefined): string {
  const url = elsewhere === undefined ? '' : ` --url ${elsewhere}`;
  const more = client === 'claude' ? '' : ` --client ${client}`;
  return `planner connect --project ${projectId}${more}${url}`;
}
