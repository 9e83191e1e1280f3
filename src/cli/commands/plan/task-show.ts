import type { Command } from 'commander';
import type { Edge, Run } from '../../../schema/types.ts';
import { addPlanCommand } from '../../call/command-line.ts';
import type { CommandOutput } from '../../call/command-line.ts';
import { heading } from '../../terminal/style.ts';
import type { ShownLine } from '../../terminal/style.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { findRecord, idOf, near } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { shownIds } from '../../call/short-ids.ts';
import { allRows } from '../../records/all-rows.ts';
import { commentLines } from '../../records/show-comments.ts';
import type { ShownComment } from '../../records/show-comments.ts';
import { goalOf, staleText } from '../../records/show-goal.ts';
import { runRow } from '../../records/show-run.ts';
import { taskOf, taskRows } from '../../records/show-task.ts';
import type { ShownTask } from '../../records/show-task.ts';
import { minuteOf } from '../../terminal/show-text.ts';
import { listTasks } from './task-list.ts';

interface ShownRevision {
  readonly id: string;
  readonly author: string;
  readonly changed_fields: readonly string[];
  readonly created_at: string;
}

/** Everything about a task besides its own fields. */
interface Surroundings {
  readonly goal: string | null;
  readonly edges: readonly Edge[];
  readonly comments: readonly ShownComment[];
  /** The newest ones, oldest first. */
  readonly runs: readonly Run[];
  readonly revisions: readonly ShownRevision[];
}

/** The last changes that are shown; `planner log` shows all. */
const revisionsShown = 5;
/** The last runs that are shown. */
const runsShown = 5;

/** `task show`: all of a task. */
export function addTaskShow(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'show [task]',
      isDefault: true,
      description:
        'show all of a task: its text, its prerequisites, links, comments, runs and last changes; without one, list',
      examples: ['task show "Take payments"', 'task 9q3f --json', 'task'],
      options: projectOption,
    },
    async ([text], options: ProjectOption, out, target) => {
      if (text === undefined) await listTasks(deps, target, options, out);
      else await showTask(target, out, await idOf(await near(target, options), ['task'], text));
    },
  );
}

/** Prints all of a task. */
export async function showTask(target: CliTarget, out: CommandOutput, task_id: string): Promise<void> {
  const task = await taskOf(target, task_id);
  const around = await surroundingsOf(target, task);
  out.print({ task, ...around }, await taskLines(target, task, around));
}

async function surroundingsOf(target: CliTarget, task: ShownTask): Promise<Surroundings> {
  const { planner } = target;
  const { id, project_id, goal_id } = task;
  const [goal, from, to, comments, runs, revisions] = await Promise.all([
    goalOf(target, goal_id),
    planner.call('list_edges', { project_id, from_id: id }),
    planner.call('list_edges', { project_id, to_id: id }),
    planner.call('list_task_comments', { task_id: id }),
    allRows<Run>(target, 'list_agent_runs', 'runs', { project_id, task_id: id }),
    planner.call('list_revisions', { project_id, target_id: id, limit: revisionsShown }),
  ]);
  return {
    goal: goal.name,
    edges: [...(from['edges'] as readonly Edge[]), ...(to['edges'] as readonly Edge[])],
    comments: comments['comments'] as readonly ShownComment[],
    runs: runs.slice(-runsShown),
    revisions: revisions['revisions'] as readonly ShownRevision[],
  };
}

/** All lines of one task. */
async function taskLines(target: CliTarget, task: ShownTask, around: Surroundings): Promise<readonly ShownLine[]> {
  const { id, description = '', commit_refs: commits, verified_at: verified, verified_ref: evidence } = task;
  const { goal, comments, runs, revisions } = around;
  const lines: ShownLine[] = [
    ...(await taskRows(target, [task])),
    `Id          ${id}`,
    `Goal        ${goal ?? 'General'}`,
  ];
  if (typeof task.lease_expires_at === 'string') lines.push(`Claimed     until ${minuteOf(task.lease_expires_at)}`);
  lines.push(...(await linkLines(target, task, around.edges)));
  if (commits.length > 0) lines.push(`Commits     ${commits.map((commit) => commit.slice(0, 10)).join(', ')}`);
  if (task.branch != null) lines.push(`Branch      ${task.branch}, not merged`);
  if (task.lane != null) lines.push(`Lane        ${task.lane}`);
  if (task.gate != null) lines.push(`Gate        ${task.gate}`);
  if (task.covers !== undefined && task.covers.length > 0) lines.push(`Covers      ${task.covers.join(', ')}`);
  if (typeof verified === 'string') lines.push(`Verified    ${minuteOf(verified)} ${evidence ?? ''}`.trimEnd());
  if (task.proof != null) lines.push(`Proof       gate green at ${task.proof.commit.slice(0, 10)}${staleText(task)}`);
  if (task.proof?.log_artifact_id !== undefined)
    lines.push(`Log         planner artifact show ${task.proof.log_artifact_id}`);
  if (description !== '') lines.push('', { block: description });
  if (runs.length > 0) lines.push('', heading('Runs'), ...runs.map(runRow));
  if (comments.length > 0) lines.push('', heading('Comments'), ...commentLines(comments, '  '));
  lines.push('', heading(`Created ${minuteOf(task.created_at)}. Last changes:`));
  for (const { created_at: at, author, changed_fields: fields } of revisions)
    lines.push(`  ${minuteOf(at)}  ${author}  ${fields.join(', ')}`);
  return lines;
}

const none: ReadonlySet<string> = new Set();

const isDone = (task: ShownTask | undefined): boolean => task?.status === 'done';

/**
 * The prerequisites of a task, its dependents, and its other links, each with the name and the status at the other end.
 */
async function linkLines(target: CliTarget, task: ShownTask, edges: readonly Edge[]): Promise<readonly string[]> {
  const { id: own, project_id } = task;
  const ordering = async (end: 'first_id' | 'then_id'): Promise<ReadonlySet<string>> => {
    const { edges: found } = await target.planner.call('list_edges', { project_id, [end]: own });
    return new Set((found as readonly Edge[]).map(({ id }) => id));
  };
  const [before, after] =
    edges.length === 0 ? [none, none] : await Promise.all([ordering('first_id'), ordering('then_id')]);
  const others = edges.flatMap(({ id: edge, from_type, from_id, to_type, to_id, label }) => {
    const [type, id] = from_id === own ? [to_type, to_id] : [from_type, from_id];
    return id === own ? [] : [{ edge, type, id, label, isTarget: from_id === own }];
  });
  const shown = await shownIds(
    target,
    project_id,
    others.map(({ id }) => id),
  );
  return Promise.all(
    others.map(async ({ edge, type, id, label, isTarget }) => {
      const other = type === 'task' ? await taskOf(target, id) : undefined;
      const name = other?.label ?? (await findRecord(target, undefined, id)).name ?? '';
      const related = isTarget ? 'Links to' : 'Linked by';
      const role = before.has(edge) ? 'Before' : !after.has(edge) ? related : isDone(other) ? 'After' : 'Waits for';
      const beside = [other?.status, label].filter((text) => typeof text === 'string').join(', ');
      return `${role.padEnd(10)}  ${shown(id)}  ${name}${beside === '' ? '' : `  (${beside})`}`;
    }),
  );
}
