import { constants } from 'node:os';
import { isoTime, systemClock } from '../../base/clock.ts';
import type { Timer } from '../../base/clock.ts';
import { PlannerError } from '../../base/errors.ts';
import { errorCode } from '../../store/index.ts';
import { endGroup, startShell } from '../../platform/programs.ts';
import { BoundedOutput } from './bounded-output.ts';

/** How a command runs. */
export interface CommandOptions {
  readonly directory: string;
  /** All of its environment. */
  readonly environment: NodeJS.ProcessEnv;
  readonly minutesMax: number;
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
  readonly output: BoundedOutput;
}

const timeoutExitCode = 124;
/** From SIGTERM to SIGKILL. */
const graceMs = 5_000;
/** From the end of a command until its output is no longer waited for: a process that left the group may hold it open. */
const outputMsMax = 2_000;

/**
 * Runs a command in the shell, in a process group of its own: when it ends or exceeds its time, all that it started in
 * the group ends with it. Standard input is empty.
 */
export async function runCommand(command: string, options: CommandOptions): Promise<CommandRun> {
  const { directory, environment, minutesMax, onLine, signal } = options;
  const output = new BoundedOutput(onLine);
  const began = systemClock.now();
  const child = startShell(command, {
    ...{ cwd: directory, env: environment, stdio: ['ignore', 'pipe', 'pipe'] },
    detached: process.platform !== 'win32',
  });
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', output.stream());
  let isTimeout = false;
  let killing: Timer | undefined;
  const stop = (): void => {
    endGroup(child, 'SIGTERM', environment);
    killing = systemClock.after(graceMs, () => endGroup(child, 'SIGKILL', environment));
  };
  const timer = systemClock.after(minutesMax * 60_000, () => {
    isTimeout = true;
    stop();
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    const ended = await endOf(child, environment);
    output.end();
    signal.throwIfAborted();
    const seconds = Math.round((systemClock.now() - began) / 100) / 10;
    const exitCode = isTimeout ? timeoutExitCode : ended;
    return { exitCode, isTimeout, startedAt: isoTime(began), seconds, output };
  } finally {
    timer.cancel();
    killing?.cancel();
    signal.removeEventListener('abort', stop);
  }
}

/** The exit code of a command, once the rest of its group has ended and its output is read. */
async function endOf(child: ReturnType<typeof startShell>, environment: NodeJS.ProcessEnv): Promise<number> {
  const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', (error) =>
      reject(
        new PlannerError('conflict', `The shell cannot be started: ${errorCode(error) ?? error.message}.`, { exit: 2 }),
      ),
    );
    child.once('exit', (status, signal) => resolve(status ?? 128 + constants.signals[signal ?? 'SIGKILL']));
  });
  endGroup(child, 'SIGKILL', environment);
  const late = systemClock.after(outputMsMax, () => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  });
  await closed;
  late.cancel();
  return code;
}
