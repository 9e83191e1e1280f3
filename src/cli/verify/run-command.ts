import { constants } from 'node:os';
import { isoTime, systemClock } from '../../base/clock.ts';
import { PlannerError } from '../../base/errors.ts';
import { errorCode } from '../../store/index.ts';
import { startShell } from '../../platform/programs.ts';
import { BoundedOutput } from './bounded-output.ts';
import { ProcessGroup } from './process-group.ts';

/** How a command runs. */
export interface CommandOptions {
  readonly directory: string;
  /** All of its environment. */
  readonly environment: NodeJS.ProcessEnv;
  readonly minutesMax: number;
  /** Gets the command before it runs. */
  readonly notice: (line: string) => void;
  readonly onLine: (line: string) => void;
  /** Aborted if the user interrupts. */
  readonly signal: AbortSignal;
}

/** How a command ended. */
export interface CommandRun {
  /** 124 for one that exceeded its time, as `timeout` has it; 128 and the signal's number for one that a signal ended. */
  readonly exitCode: number;
  readonly isTimeout: boolean;
  readonly startedAt: string;
  readonly seconds: number;
  readonly output: Pick<BoundedOutput, 'text' | 'sha256'>;
}

const timeoutExitCode = 124;

/**
 * Runs a command in the shell, in a process group of its own: when it ends or exceeds its time, all that it started in
 * the group ends with it. Standard input is empty.
 */
export async function runCommand(command: string, options: CommandOptions): Promise<CommandRun> {
  const { directory, environment, minutesMax, notice, onLine, signal } = options;
  notice(`$ ${command}`);
  const output = new BoundedOutput(onLine);
  const began = systemClock.now();
  const child = startShell(command, {
    ...{ cwd: directory, env: environment, stdio: ['ignore', 'pipe', 'pipe'] },
    detached: process.platform !== 'win32',
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', output.stream());
  const group = new ProcessGroup(child, environment);
  let isTimeout = false;
  const timer = systemClock.after(minutesMax * 60_000, () => {
    isTimeout = true;
    group.stop();
  });
  const stop = (): void => group.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const ended = await endOf(group);
    output.end();
    signal.throwIfAborted();
    const seconds = Math.round((systemClock.now() - began) / 100) / 10;
    const exitCode = isTimeout ? timeoutExitCode : ended;
    const { text, sha256 } = output;
    return { exitCode, isTimeout, startedAt: isoTime(began), seconds, output: { text, sha256 } };
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', stop);
  }
}

/** The exit code of a command. */
async function endOf(group: ProcessGroup): Promise<number> {
  try {
    const { code, signal } = await group.ended;
    return code ?? 128 + constants.signals[signal ?? 'SIGKILL'];
  } catch (error) {
    const reason = errorCode(error) ?? (error as Error).message;
    throw new PlannerError('conflict', `The shell cannot be started: ${reason}.`, { exit: 2 });
  }
}
