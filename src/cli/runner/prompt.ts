import type { Comment, Goal } from '../../schema/types.ts';
import type { Conflict } from './base-branch.ts';
import type { AtCommits } from './merging.ts';
import type { ShownTask } from '../records/show-task.ts';

/** The knowledge about a task that its agent begins with. */
export interface Briefing {
  readonly task: ShownTask;
  readonly goal: Goal;
  readonly comments: readonly Comment[];
  /** The command that decides whether the task is done. */
  readonly gate: string | undefined;
  readonly branch: string;
}

/** The first request to an agent. */
export function firstPrompt({ task, goal, comments, gate, branch }: Briefing): string {
  const contract = (['constraints', 'boundaries', 'stop_condition'] as const).flatMap((field) =>
    goal[field] === null ? [] : [`${field.replace('_', ' ')}: ${goal[field]}`],
  );
  return [
    `Do this task in the current directory, a git worktree on the branch ${branch}.`,
    `# ${task.label}`,
    ...(task.description === undefined || task.description === '' ? [] : [task.description]),
    `It belongs to the goal ${JSON.stringify(goal.name ?? goal.id)}: ${goal.objective}`,
    ...contract,
    ...(comments.length === 0
      ? []
      : ['Comments on it:', ...comments.map(({ author, body }) => `- ${author}: ${body}`)]),
    [
      'Rules:',
      '- Work only in this directory, and commit your work with git. What is not committed in the end is committed as it is.',
      `- ${gate === undefined ? 'A person reviews the result.' : `This decides whether it is done, and is run after you end: ${gate}`}`,
      '- Do not change the status of the task: the runner does it.',
      '- If a person has to decide something, ask.',
    ].join('\n'),
  ].join('\n\n');
}

/** The request to an agent that ended before a person answered its question. `task`: if it does not know the task any more. */
export function answeredPrompt(question: string, answer: string | undefined, task: Briefing | undefined): string {
  const said = answer === undefined ? 'It was withdrawn without an answer.' : `The answer: ${answer}`;
  if (task === undefined) return `You asked: ${question}\n\n${said}\n\nGo on.`;
  return `${firstPrompt(task)}\n\nAn agent has begun, and its work is on this branch. It asked: ${question}\n\n${said}`;
}

/** The request after a red gate. */
export function againPrompt(gate: string, exitCode: number, output: string): string {
  return [
    `The gate is red: ${gate} ended with exit code ${exitCode}. Correct your work. Its output:`,
    output.length <= outputCharactersMax ? output : `[…]\n${output.slice(-outputCharactersMax)}`,
  ].join('\n\n');
}

/** The request after a merge that conflicts. */
export function conflictPrompt({ files, base, tip }: Conflict & AtCommits): string {
  return [
    `The gate is green, but your branch (${tip}) conflicts with ${base.name} (${base.commit}) in these files:`,
    files.map((file) => `- ${file}`).join('\n'),
    `Merge ${base.commit} into your branch, keep what both sides mean, and commit the merge: one that is not committed does not count. Then the gate runs again.`,
  ].join('\n\n');
}

const outputCharactersMax = 20_000;
