import type { Command } from 'commander';
import type { Goal, VerificationSurface } from '../../../schema/types.ts';
import { addPlanCommand, collect, present, textOf, usageError } from '../../call/command-line.ts';
import { idOf } from '../../call/find-record.ts';
import type { ProgramDeps } from '../../call/program-deps.ts';
import { chooseProject, projectOption } from '../../call/project-choice.ts';
import type { ProjectOption } from '../../call/project-choice.ts';
import { goalRows, titleOfGoal } from '../../records/show-goal.ts';

interface AddOptions extends ProjectOption {
  readonly objective?: string;
  readonly gate?: string;
  readonly checklist?: readonly string[];
  readonly signOff?: boolean;
  readonly covers?: readonly string[];
}

/** `goal add`, `goal use`, `goal pause` and `goal resume`. */
export function addGoalChanges(deps: ProgramDeps, group: Command): void {
  addGoalAdd(deps, group);
  addMove(deps, group, {
    verb: 'use',
    operation: 'set_current_goal',
    description: 'make an active goal the current one: next and claim take its tasks',
    says: 'is the current goal: planner next shows its first task.',
  });
  addMove(deps, group, {
    verb: 'pause',
    operation: 'pause_goal',
    description: 'pause an active goal: it offers no tasks until it is resumed',
    says: 'is paused; planner goal resume continues it.',
  });
  addMove(deps, group, {
    verb: 'resume',
    operation: 'resume_goal',
    description: 'resume a goal that is paused, or blocked by a red verification',
    says: 'is active.',
  });
}

function addGoalAdd(deps: ProgramDeps, group: Command): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: 'add <name>',
      isChange: true,
      description: 'create a goal, and say how it is verified',
      examples: [
        'goal add "Cook mode" --gate "npm test"',
        'goal add "Launch" --checklist "Prices are right" --checklist "Legal has read it"',
        'goal add "New logo" --objective "People know us." --sign-off',
      ],
      options: (command) =>
        projectOption(command)
          .option('--objective <markdown>', 'the state to reach; - to read standard input (default: the name)')
          .option('--gate <command>', 'a command that exits with 0 if the goal is reached; planner verify runs it')
          .option('--checklist <item>', 'a criterion that must be met; repeat for several', collect)
          .option('--sign-off', 'a person approves the result')
          .option('--covers <path>', 'a path or glob that it is about, for its proof; repeat for several', collect),
    },
    async ([name], options: AddOptions, out, target) => {
      const verification_surface = surfaceIn(options);
      const objective = (await textOf(deps, options.objective)) ?? name;
      const { id: project_id } = await chooseProject(target, options);
      const input = present({ project_id, name, objective, verification_surface, covers: options.covers });
      const result = await target.planner.call('create_goal', input);
      const goal = result['goal'] as Goal;
      out.print(result, [
        ...(await goalRows(target, [{ goal, tasks: [] }])),
        ...(verification_surface === undefined
          ? [
              'Note: it is completed without evidence. --gate, --checklist or --sign-off say what shows that it is reached.',
            ]
          : []),
      ]);
    },
  );
}

function surfaceIn({ gate, checklist, signOff }: AddOptions): VerificationSurface | undefined {
  const given = [
    ...(gate === undefined ? [] : [{ kind: 'gate_command', command: gate } as const]),
    ...(checklist === undefined
      ? []
      : [{ kind: 'acceptance_checklist', items: checklist.map((criterion) => ({ criterion })) } as const]),
    ...(signOff === true ? [{ kind: 'human_sign_off' } as const] : []),
  ];
  if (given.length > 1)
    throw usageError('--gate', 'A goal is verified in one way: give one of --gate, --checklist and --sign-off.');
  return given[0];
}

interface Move {
  readonly verb: string;
  readonly operation: string;
  readonly description: string;
  /** The state of the goal afterwards. */
  readonly says: string;
}

function addMove(deps: ProgramDeps, group: Command, { verb, operation, description, says }: Move): void {
  addPlanCommand(
    deps,
    group,
    {
      usage: `${verb} <goal>`,
      isChange: true,
      description,
      examples: [`goal ${verb} "Cook mode"`, `goal ${verb} 9q3f`],
    },
    async ([text], _, out, target) => {
      const goal_id = await idOf(target, ['goal'], text);
      const result = await target.planner.call(operation, { goal_id });
      out.print(result, `${titleOfGoal(result['goal'] as Goal)} ${says}`);
    },
  );
}
