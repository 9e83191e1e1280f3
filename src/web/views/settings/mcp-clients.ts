/** How a client starts the bridge: by the program's name, so that an entry that is committed serves on every machine. */
const start = { command: 'planner', args: ['mcp'] } as const;

/** A client of MCP, the file that tells it of servers, and the entry in it: what `planner connect` writes there. */
export interface McpClient {
  /** What `planner connect --client` takes. */
  readonly id: string;
  readonly name: string;
  /** Below the repository; below the home directory where it begins with `~`. */
  readonly file: string;
  readonly entry: string;
}

const json = (value: object): string => JSON.stringify(value, undefined, 2);
const servers = (member: string, entry: object): string => json({ [member]: { planner: entry } });

/** The text for the file; in one that has other entries, ours goes beside them. No secret stands in it: the bridge reads `.planner/token`. */
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
    // A file of the whole user starts in no repository: it has to name this one.
    entry: servers('mcpServers', { ...start, args: [...start.args, '--root', '/path/to/the/repository'] }),
  },
];

/** The command that does all of it, for a shell. */
export function connectCommand(projectId: string, client: string, elsewhere: string | undefined): string {
  const url = elsewhere === undefined ? '' : ` --url ${elsewhere}`;
  const more = client === 'claude' ? '' : ` --client ${client}`;
  return `planner connect --project ${projectId}${more}${url}`;
}
