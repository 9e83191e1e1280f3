import { findProgram, startProgram } from '../../../platform/programs.ts';
import type { StartedProgram } from '../../../platform/programs.ts';
import { errorCode } from '../../../store/index.ts';
import { ProcessGroup } from '../../verify/process-group.ts';
import type { ProgramEnd } from '../../verify/process-group.ts';
import type { AgentCommand, AgentOptions } from './agent.ts';
import { lineOf } from './progress.ts';

/** Times of an agent, in milliseconds. */
export interface AgentLimits {
  /** Until it has started a conversation. */
  readonly start: number;
  /** From a request to stop until it is ended, and from SIGTERM to SIGKILL. */
  readonly grace: number;
}

export const agentLimits: AgentLimits = { start: 60_000, grace: 5_000 };

/** An agent as a program in a process group of its own. */
export interface AgentProcess {
  readonly child: StartedProgram;
  readonly group: ProcessGroup;
}

/** Returns whether the program of an agent is in PATH, or at its absolute path. */
export function isInstalled({ command, env }: AgentCommand, environment: NodeJS.ProcessEnv): boolean {
  return findProgram(command, { ...environment, ...env }) !== undefined;
}

/** Starts the program of an agent, or returns why it cannot be started. */
export function startAgentProcess(
  { agent, directory, environment }: AgentOptions,
  { grace }: AgentLimits,
): AgentProcess | string {
  const env = { ...environment, ...agent.env };
  try {
    const child = startProgram(agent.command, agent.args, {
      ...{ cwd: directory, env, stdio: 'pipe' },
      detached: process.platform !== 'win32',
    });
    // An agent that ends before it has read all says in its exit status why.
    child.stdin?.on('error', () => undefined);
    return { child, group: new ProcessGroup(child, env, grace) };
  } catch (error) {
    return notStarted(agent.command, error);
  }
}

/** How an agent ended, as a sentence. */
export async function endOf({ group }: AgentProcess, command: string): Promise<{ end?: ProgramEnd; sentence: string }> {
  try {
    const end = await group.ended;
    return { end, sentence: `${end.signal === null ? `Exit code ${end.code}` : `It was ended by ${end.signal}`}.` };
  } catch (error) {
    return { sentence: notStarted(command, error) };
  }
}

function notStarted(command: string, error: unknown): string {
  const { message } = error as Error;
  return errorCode(error) === 'ENOENT'
    ? `There is no program ${command} in PATH.`
    : `${command} cannot be started: ${message}`;
}

/** The last lines of a long text, for people. */
export class LastLines {
  readonly #max: number;
  #lines: string[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  add(text: string): void {
    const line = lineOf(text);
    if (line === '') return;
    this.#lines.push(line);
    if (this.#lines.length > 2 * this.#max) this.#lines = this.#lines.slice(-this.#max);
  }

  get text(): string {
    return this.#lines.slice(-this.#max).join('\n');
  }
}
