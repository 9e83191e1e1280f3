import { join } from 'node:path';
import { readPlainEnvironment } from '../../base/config.ts';
import { PlannerError } from '../../base/errors.ts';
import { cacheDirectory } from '../../platform/cache-directory.ts';
import type { Proof } from '../../schema/types.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import { checkOut } from './checkout.ts';
import type { Checkout } from './checkout.ts';
import type { Commit, Repository } from './repository.ts';
import { runCommand } from './run-command.ts';
import type { CommandRun } from './run-command.ts';
import { notRun } from './subject.ts';

/** How a gate runs. */
export interface GateOptions {
  readonly command: string;
  /** The command that runs first in a fresh worktree. */
  readonly setup: string | undefined;
  readonly minutesMax: number;
  /** Names of variables that the commands get beside the plain ones. */
  readonly variables: readonly string[];
  /** Undefined: it runs in the working tree as it is. */
  readonly at: Commit | undefined;
  /** Aborted if the user interrupts; undefined: the gate itself notices it. */
  readonly signal?: AbortSignal;
  readonly isQuiet?: boolean;
}

export const gateMinutesDefault = 30;

/** Runs a gate, after the set-up in a temporary worktree at a commit, or in the working tree. */
export async function runGate(
  deps: ProgramDeps,
  repository: Repository | undefined,
  { command, setup, minutesMax, variables, at, signal = interruptOf(deps), isQuiet = false }: GateOptions,
): Promise<CommandRun> {
  const around = {
    ...{ environment: readPlainEnvironment(variables), minutesMax, signal, notice: deps.notice },
    onLine: (line: string) => (isQuiet ? undefined : deps.notice(line)),
  };
  if (at === undefined || repository === undefined) {
    const directory = repository === undefined ? deps.workingDirectory : join(repository.top, repository.place);
    return runCommand(command, { ...around, directory });
  }
  const checkout = await checkedOut(deps, repository, at);
  try {
    const directory = join(checkout.directory, repository.place);
    if (setup !== undefined) {
      const run = await runCommand(setup, { ...around, directory });
      if (run.exitCode !== 0)
        throw notRun(
          `The set-up command ${setup} ended with exit code ${run.exitCode}, so that the gate was not run. It is the member setup of .planner/config.json.`,
        );
    }
    return await runCommand(command, { ...around, directory });
  } finally {
    await checkout.remove();
  }
}

function interruptOf({ events }: ProgramDeps): AbortSignal {
  const interrupt = new AbortController();
  events.onEndSignal(() => interrupt.abort(new PlannerError('conflict', 'It was interrupted.', { exit: 130 })));
  return interrupt.signal;
}

function checkedOut({ disk, homeDirectory }: ProgramDeps, { top }: Repository, at: Commit): Promise<Checkout> {
  return checkOut(disk, cacheDirectory(homeDirectory) ?? join(homeDirectory, '.planner-cache'), top, at.commit);
}

/** The proof of a run at a commit. */
export function proofOf(
  run: CommandRun,
  given: Commit & Pick<Proof, 'dirty' | 'ran_by'> & { readonly setup: string | undefined },
): Omit<Proof, 'log_artifact_id'> {
  const { commit, tree, dirty, ran_by, setup } = given;
  return {
    ...{ commit, tree, dirty, started_at: run.startedAt, seconds: run.seconds, ran_by },
    ...(setup === undefined ? {} : { setup }),
    log_sha256: run.output.sha256,
  };
}
