import { readPlainEnvironment } from '../../../base/config.ts';
import { PlannerError } from '../../../base/errors.ts';
import { isObject } from '../../../base/is-object.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { openUserJson } from '../../machine/user-json.ts';
import { isInstalled } from './agent-process.ts';
import type { AgentCommand } from './agent.ts';
import { presets } from './presets.ts';

/** An agent in the user's `agents.json`. */
interface OwnAgent {
  readonly command: string;
  readonly args?: readonly string[];
  readonly protocol: AgentCommand['protocol'];
  readonly env?: Readonly<Record<string, string>>;
}

/** An agent that Planner knows. */
export interface KnownAgent {
  readonly agent: AgentCommand;
  /** Whether its program is in PATH. */
  readonly isInstalled: boolean;
}

export type AgentDeps = Pick<ProgramDeps, 'disk' | 'homeDirectory' | 'environment'>;

const fileName = 'agents.json';

/**
 * All known agents: the user's own, in the order of their file, then the presets. An own one takes the place of the preset with its name.
 * `searched` has the PATH in which they are searched: that of the agents.
 */
export async function knownAgents(
  { disk, homeDirectory, environment }: AgentDeps,
  searched = readPlainEnvironment([]),
): Promise<readonly KnownAgent[]> {
  const { data } = await openUserJson<OwnAgent>({
    ...{ disk, place: { homeDirectory, configHome: environment().configHome }, name: fileName, isMember: isOwnAgent },
    contents: 'of agents by name, each with "command" and "protocol" ("acp" or "stdin"), and maybe "args" and "env"',
  });
  const own = Object.entries(data).map(([name, agent]): AgentCommand => ({ args: [], env: {}, ...agent, name }));
  const others = presets.filter(({ name }) => !Object.hasOwn(data, name));
  return [...own, ...others].map((agent) => ({ agent, isInstalled: isInstalled(agent, searched) }));
}

/** The agent with a name; without one the first that is installed. */
export async function findAgent(
  name: string | undefined,
  deps: AgentDeps,
  searched?: NodeJS.ProcessEnv,
): Promise<AgentCommand> {
  const known = await knownAgents(deps, searched);
  const found =
    name === undefined ? known.find((one) => one.isInstalled) : known.find(({ agent }) => agent.name === name);
  if (found?.isInstalled === true) return found.agent;
  const names = known.map(({ agent }) => `${agent.name} (${agent.command})`).join(', ');
  const why = reasonOf(name, found);
  throw new PlannerError(
    found === undefined && name !== undefined ? 'not_found' : 'conflict',
    `${why} Known are, with their programs: ${names}. Install one of them, or name your own in ${fileName} in your configuration directory (docs/reference/agents.md).`,
  );
}

function reasonOf(name: string | undefined, found: KnownAgent | undefined): string {
  if (name === undefined) return 'No coding agent is installed.';
  if (found === undefined) return `There is no agent ${name}.`;
  return `The agent ${name} is not installed: there is no program ${found.agent.command} in PATH.`;
}

const members = new Set(['command', 'args', 'protocol', 'env']);

function isOwnAgent(value: unknown): value is OwnAgent {
  if (!isObject(value) || !Object.keys(value).every((member) => members.has(member))) return false;
  const { command, args = [], protocol, env = {} } = value;
  return (
    isText(command) &&
    (protocol === 'acp' || protocol === 'stdin') &&
    Array.isArray(args) &&
    args.every(isText) &&
    isObject(env) &&
    Object.values(env).every(isText)
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';
