import type { Goal } from '../../schema/types.ts';
import type { CliTarget } from '../call/cli-target.ts';
import type { ProgramDeps } from '../call/program-deps.ts';
import type { ShownTask } from '../records/show-task.ts';
import type { Repository } from '../verify/repository.ts';
import { requireAllTrusted } from '../verify/trusted-commands.ts';
import type { AgentCommand } from './agents/agent.ts';
import type { ServicePlace } from './lasting-planner.ts';

/** The surroundings of all tasks of a runner. */
export interface Workshop {
  readonly deps: ProgramDeps;
  readonly target: CliTarget;
  /** Where the service is that serves the plan. */
  readonly service: ServicePlace;
  readonly place: string;
  readonly setup: string | undefined;
  readonly repository: Repository;
  readonly cache: string;
  readonly agent: AgentCommand;
  readonly isTrusted: boolean;
  /** Attempts per task while its gate is red; undefined: as its goal's iteration policy says. */
  readonly tries: number | undefined;
  readonly gateMinutesMax: number;
  readonly askMinutesMax: number;
  /** For all attempts at a task together, with the waiting for answers. */
  readonly taskMinutesMax: number;
  /** Aborted when the runner is asked to stop. */
  readonly signal: AbortSignal;
}

/** A task with its goal. */
export interface TaskOfGoal {
  readonly task: ShownTask;
  readonly goal: Goal;
}

/** The end of the work on a task. */
export interface Outcome {
  readonly task_id: string;
  readonly label: string;
  readonly result: 'taken' | 'done' | 'review' | 'returned' | 'parked' | 'stopped' | 'merged' | 'unmerged';
  readonly branch: string;
  readonly commits: readonly string[];
  readonly says: string;
}

/** Throws unless the user allowed the commands that the work on a task runs. */
export async function requireAllowed(
  { deps, place, setup, isTrusted }: Pick<Workshop, 'deps' | 'place' | 'setup' | 'isTrusted'>,
  project: string,
  gate: string | undefined,
): Promise<void> {
  await requireAllTrusted(deps, { place, project, setup, gate }, isTrusted);
}
