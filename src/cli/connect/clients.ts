import { isDeepStrictEqual } from 'node:util';
import { readJsonc, setMember } from './edit-json.ts';
import { tomlMarkers, withSection } from './section.ts';

/** How an agent's client starts `planner mcp`. It bears no secret: the bridge reads `.planner/token` itself. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
}

/** A client of MCP that can be told of Planner by a file. */
export interface Client {
  /** What --client takes. */
  readonly name: string;
  /** Below the repository, or below the home directory where the client has no file in a repository. */
  readonly scope: 'repository' | 'home';
  readonly path: readonly string[];
  /** The file's new text. Throws where it cannot be read; undefined where an entry of the person's own stands there, which is left. */
  readonly edit: (text: string, start: Start, shown: string) => string | undefined;
}

type Entry = Readonly<Record<string, unknown>>;

/** An entry among others in a JSON file. `shape` is how this client writes a server that it starts. */
function jsonClient(
  name: string,
  path: readonly string[],
  servers: string,
  shape: (start: Start) => Entry,
  scope: Client['scope'] = 'repository',
): Client {
  return { name, scope, path, edit: (text, start, shown) => editJson(text, servers, shape(start), shown) };
}

const serverName = 'planner';

/** Members that a person added to our entry (`env`, `disabled`) stay; an entry that does not start `planner mcp` is theirs. */
function editJson(text: string, servers: string, entry: Entry, shown: string): string | undefined {
  const among = readJsonc(text, shown)[servers];
  if (among !== undefined && !isEntry(among)) return undefined;
  const present = among?.[serverName];
  if (present === undefined) return setMember(text, [servers, serverName], entry);
  if (!isEntry(present) || !startsPlanner(present)) return undefined;
  let edited = text;
  for (const [member, value] of Object.entries(entry)) {
    if (!isDeepStrictEqual(present[member], value)) edited = setMember(edited, [servers, serverName, member], value);
  }
  return edited;
}

function isEntry(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `planner mcp`, however it is started: `planner mcp --root ..`, `npx --no-install planner mcp`, one array of both. */
function startsPlanner({ command, args }: Entry): boolean {
  const words = [command, args].flat(2).filter((word) => typeof word === 'string');
  return words.includes('mcp') && words.some((word) => /(?:^|[\\/])planner(?:\.cmd)?$/.test(word));
}

const stdio = ({ command, args }: Start): Entry => ({ command, args });

/** `[mcp_servers.planner]` of a TOML file, between markers: TOML is written at the end and never rewritten. */
function editToml(text: string, { command, args }: Start): string | undefined {
  const outside = text.split(tomlMarkers.begin)[0] + (text.split(tomlMarkers.end)[1] ?? '');
  if (/^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*["']?planner["']?[ \t]*[\].]/m.test(outside)) return undefined;
  // A JSON text of these is a TOML one too.
  const lines = ['[mcp_servers.planner]', `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`];
  return withSection(text, lines.join('\n'), tomlMarkers);
}

/** `.mcp.json`, which several clients read: always written. */
export const sharedClient = jsonClient('claude', ['.mcp.json'], 'mcpServers', stdio);

/** The common clients, each with its own file and format. */
export const clients: readonly Client[] = [
  sharedClient,
  jsonClient('cursor', ['.cursor', 'mcp.json'], 'mcpServers', stdio),
  jsonClient('vscode', ['.vscode', 'mcp.json'], 'servers', (start) => ({ type: 'stdio', ...stdio(start) })),
  { name: 'codex', scope: 'repository', path: ['.codex', 'config.toml'], edit: editToml },
  jsonClient('gemini', ['.gemini', 'settings.json'], 'mcpServers', stdio),
  jsonClient('zed', ['.zed', 'settings.json'], 'context_servers', stdio),
  jsonClient('opencode', ['opencode.json'], 'mcp', ({ command, args }) => ({
    type: 'local',
    command: [command, ...args],
  })),
  jsonClient('windsurf', ['.codeium', 'windsurf', 'mcp_config.json'], 'mcpServers', stdio, 'home'),
];
