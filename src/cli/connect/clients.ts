import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../base/is-object.ts';
import { clientNames } from './client-names.ts';
import type { ClientName } from './client-names.ts';
import { readJsonc, removeMember, setMember } from './edit-json.ts';
import { tomlMarkers, withoutSection, withSection } from './section.ts';

/** The command with which an MCP client starts `planner mcp`. It contains no secret: the bridge reads `.planner/token` itself. */
export interface Start {
  readonly command: string;
  readonly args: readonly string[];
}

/** The file by which an MCP client is configured. */
export interface ClientFile {
  /** Base of the path: the repository, or the home directory if the client reads no file in a repository. */
  readonly scope: 'repository' | 'home';
  readonly path: readonly string[];
  /** Returns the file's new text; undefined if it has an entry of the user's own, which is kept. Throws if it cannot be parsed. */
  readonly edit: (text: string, start: Start, shown: string) => string | undefined;
  /** Returns the text without our entry; unchanged if it has no entry of ours. */
  readonly remove: (text: string, shown: string) => string;
}

export interface Client extends ClientFile {
  /** The value of --client. */
  readonly name: ClientName;
}

type Entry = Readonly<Record<string, unknown>>;

/** A client with a JSON file of servers. `shape`: the client's format of a server entry. */
function jsonClient(
  path: readonly string[],
  servers: string,
  shape: (start: Start) => Entry,
  scope: Client['scope'] = 'repository',
): ClientFile {
  return {
    scope,
    path,
    edit: (text, start, shown) => editJson(text, servers, shape(start), shown),
    remove: (text, shown) => removeJson(text, servers, shown),
  };
}

const serverName = 'planner';

/** Keeps members that a user added to our entry (`env`, `disabled`). An entry that does not start `planner mcp` is the user's own. */
function editJson(text: string, servers: string, entry: Entry, shown: string): string | undefined {
  const among = readJsonc(text, shown)[servers];
  if (among !== undefined && !isObject(among)) return undefined;
  const present = among?.[serverName];
  if (present === undefined) return setMember(text, [servers, serverName], entry);
  if (!isObject(present) || !startsPlanner(present)) return undefined;
  let edited = text;
  for (const [member, value] of Object.entries(entry)) {
    if (!isDeepStrictEqual(present[member], value)) edited = setMember(edited, [servers, serverName, member], value);
  }
  return edited;
}

function removeJson(text: string, servers: string, shown: string): string {
  const among = readJsonc(text, shown)[servers];
  const present = isObject(among) ? among[serverName] : undefined;
  return isObject(present) && startsPlanner(present) ? removeMember(text, [servers, serverName]) : text;
}

/**
 * Returns whether an entry starts `planner mcp` in any form: `planner mcp --root ..`, `npx --no-install planner mcp`,
 * one array of both.
 */
function startsPlanner({ command, args }: Entry): boolean {
  const words = [command, args].flat(2).filter((word) => typeof word === 'string');
  return words.includes('mcp') && words.some((word) => /(?:^|[\\/])planner(?:\.cmd|\.exe)?$/.test(word));
}

const stdio = ({ command, args }: Start): Entry => ({ command, args });

/** Adds `[mcp_servers.planner]` to a TOML file, between markers at its end. The rest of the file is not rewritten. */
function editToml(text: string, { command, args }: Start): string | undefined {
  const outside = text.split(tomlMarkers.begin)[0] + (text.split(tomlMarkers.end)[1] ?? '');
  if (/^[ \t]*\[[ \t]*mcp_servers[ \t]*\.[ \t]*["']?planner["']?[ \t]*[\].]/m.test(outside)) return undefined;
  // JSON strings and arrays of strings are valid TOML.
  const lines = ['[mcp_servers.planner]', `command = ${JSON.stringify(command)}`, `args = ${JSON.stringify(args)}`];
  return withSection(text, lines.join('\n'), tomlMarkers);
}

const files: Readonly<Record<ClientName, ClientFile>> = {
  claude: jsonClient(['.mcp.json'], 'mcpServers', stdio),
  cursor: jsonClient(['.cursor', 'mcp.json'], 'mcpServers', stdio),
  vscode: jsonClient(['.vscode', 'mcp.json'], 'servers', (start) => ({ type: 'stdio', ...stdio(start) })),
  codex: {
    scope: 'repository',
    path: ['.codex', 'config.toml'],
    edit: editToml,
    remove: (text) => withoutSection(text, tomlMarkers) ?? text,
  },
  gemini: jsonClient(['.gemini', 'settings.json'], 'mcpServers', stdio),
  zed: jsonClient(['.zed', 'settings.json'], 'context_servers', stdio),
  opencode: jsonClient(['opencode.json'], 'mcp', ({ command, args }) => ({
    type: 'local',
    command: [command, ...args],
  })),
  windsurf: jsonClient(['.codeium', 'windsurf', 'mcp_config.json'], 'mcpServers', stdio, 'home'),
};

/** All supported clients. */
export const clients: readonly Client[] = clientNames.map((name) => ({ name, ...files[name] }));

/** A client by its name: always the same value. */
export function clientNamed(name: ClientName): Client {
  return clients.find((client) => client.name === name)!;
}

/** `.mcp.json`, which several clients read, is always written. */
export const sharedClient = clientNamed('claude');
