import type { ReadOperation } from './declaration/operation.ts';

type Input = Readonly<Record<string, unknown>>;
type Question = (input: Input, read: ReadOperation) => Promise<string | undefined>;

/** Statuses that a task has once a person has released it. */
const released: ReadonlySet<unknown> = new Set(['todo', 'in_progress', 'done']);

/** update_task: whether a task in scope is to be released. */
export const releasesScope: Question = async ({ project_id, task_id, status }, read) => {
  if (!released.has(status)) return undefined;
  const { task } = (await read('get_task', ofProject({ task_id }, project_id))) as { task: TaskShown };
  return task.status === 'scope' ? `Release the task ${quoted(task.label)} from scope?` : undefined;
};

/** complete_goal: whether the person whom the evidence names signs off. */
export const signsOff: Question = async ({ project_id, goal_id, evidence }, read) => {
  const { kind, approved_by: by } = (evidence ?? {}) as Input;
  if (kind !== 'human_sign_off') return undefined;
  const { goal } = (await read('get_goal', ofProject({ goal_id }, project_id))) as { goal: GoalShown };
  const name = goal.name === null ? '' : ` ${quoted(goal.name)}`;
  return `Sign off the goal${name} as ${quoted(by)}? It is to be: ${goal.objective}`;
};

/** delete_folder */
export const deletesFolder: Question = async ({ project_id, folder_id }, read) => {
  const { folder } = (await read('get_folder', ofProject({ folder_id }, project_id))) as { folder: { name: string } };
  return `Delete the folder ${quoted(folder.name)}? Its documents and folders are kept.`;
};

/** delete_edge */
export const deletesEdge: Question = async ({ edge_id }) =>
  `Delete the edge ${quoted(edge_id)}? What it connects is kept.`;

interface TaskShown {
  readonly label: string;
  readonly status: string;
}

interface GoalShown {
  readonly name: string | null;
  readonly objective: string;
}

function ofProject(input: Input, project: unknown): Input {
  return project === undefined ? input : { ...input, project_id: project };
}

function quoted(text: unknown): string {
  return JSON.stringify(text) ?? 'null';
}
