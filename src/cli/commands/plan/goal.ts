import type { Command } from 'commander';
import type { Goal } from '../../../schema/types.ts';
import { allRows, allTasks } from '../../records/all-rows.ts';
import { addPlanCommand, present } from '../../call/command-line.ts';
import { heading } from '../../terminal/style.ts';
import type { ShownLine } from '../../terminal/style.ts';
import type { CliTarget } from '../../call/cli-target.ts';
import { idOf } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { goalOf, goalRows, progressOf, staleText, surfaceOf } from '../../records/show-goal.ts';
import type { GoalTasks } from '../../records/show-goal.ts';
import { taskRows } from '../../records/show-task.ts';
import { indented, minuteOf } from '../../terminal/show-text.ts';
import { addGoalChanges } from './goal-change.ts';
import { addGoalDone } from './goal-done.ts';

interface ListOptions extends ProjectOption {
  readonly status?: string;
  readonly all?: boolean;
}

/** `goal`: lists, shows, creates, chooses, completes, pauses and resumes goals. */
export function addGoalCommands(deps: ProgramDeps, program: Command): void {
  const group = program.command('goal').description('goals: list, add, show, use, done, pause, resume');
  addGoalList(deps, group);
  addGoalShow(deps, group);
  addGoalChanges(deps, group);
  addGoalDone(deps, group);
}

function addGoalList(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'list',
      isDefault: true,
      description: 'list goals with their progress; also planner goal',
      examples: ['goal list', 'goal list --status active --json'],
      options: (command) =>
        projectOption(command)
          .option('--status <status>', 'active, paused, complete or blocked')
          .option('--all', 'archived goals, too'),
    },
    async (_, options: ListOptions, out, target) => {
      const { id: project_id } = await chooseProject(target, options);
      const { status, all = false } = options;
      const input = present({ project_id, status, archived: all ? undefined : false });
      const goals = await allRows<Goal>(target, 'list_goals', 'goals', input);
      const ofGoal = Map.groupBy(await allTasks(target, { project_id }), ({ goal_id }) => goal_id);
      const shown = goals.map((goal) => ({ goal, tasks: ofGoal.get(goal.id) ?? [] }));
      out.print({ goals }, goals.length === 0 ? 'No goals.' : await goalRows(target, shown));
    },
  );
}

function addGoalShow(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'show <goal>',
      description: 'show a goal: its progress, tasks, how it is verified and its last verification',
      examples: ['goal show "Cook mode"', 'goal show 9q3f --json'],
    },
    async ([text], _, out, target) => {
      const goal_id = await idOf(target, ['goal'], text);
      const goal = await goalOf(target, goal_id);
      const tasks = await allTasks(target, { project_id: goal.project_id, goal_id });
      const lines = await goalLines(target, { goal, tasks });
      out.print({ goal: { ...goal, cycle_tasks: tasks } }, lines);
    },
  );
}

/** All lines of one goal. */
async function goalLines(target: CliTarget, shown: GoalTasks): Promise<readonly ShownLine[]> {
  const { goal, tasks } = shown;
  const { objective, covers, last_verification: last } = goal;
  const lines: ShownLine[] = [
    ...(await goalRows(target, [shown])),
    `Id          ${goal.id}`,
    ...(goal.status === 'paused' && goal.pause_reason !== null ? [`Paused      ${goal.pause_reason}`] : []),
    `Progress    ${progressOf(tasks)}`,
    ...surfaceLines(goal),
    ...(covers.length === 0 ? [] : [`Covers      ${covers.join(', ')}`]),
  ];
  if (last !== null) {
    const by = last.reported_by === undefined ? '' : `, reported by ${last.reported_by}`;
    lines.push(`Verified    ${minuteOf(last.at)}  ${last.green ? 'green' : 'red'}${by}${proofText(goal)}`);
    if (last.detail !== undefined) lines.push({ block: indented(last.detail) });
    if (last.proof?.log_artifact_id !== undefined)
      lines.push(`Log         planner artifact show ${last.proof.log_artifact_id}`);
  }
  if (objective !== goal.name) lines.push('', { block: objective });
  for (const field of ['constraints', 'boundaries', 'iteration_policy', 'stop_condition', 'budget'] as const) {
    const text = goal[field];
    if (text !== null) lines.push('', heading(`${field.replace('_', ' ')}:`), { block: indented(text) });
  }
  if (tasks.length > 0) lines.push('', ...(await taskRows(target, tasks)));
  return lines;
}

/** The commit of a proof, and whether it is stale. */
function proofText(goal: Goal): string {
  const { last_verification: last } = goal;
  if (last?.proof === undefined) return '';
  const { commit, dirty } = last.proof;
  return ` at ${commit.slice(0, 10)}${dirty ? ' with uncommitted files' : ''}${staleText(goal)}`;
}

function surfaceLines(goal: Goal): readonly string[] {
  const surface = surfaceOf(goal);
  switch (surface?.kind) {
    case 'gate_command':
      return [`Gate        ${surface.command}`];
    case 'acceptance_checklist':
      return ['Checklist', ...surface.items.map(({ criterion }) => `  - ${criterion}`)];
    case 'human_sign_off':
      return ['Sign-off    by a person'];
    case undefined:
      return ['Evidence    none is needed'];
  }
}
