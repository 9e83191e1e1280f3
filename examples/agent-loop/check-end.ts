import type { Agent } from './agent.ts';
import { byHand, dropped, sharper } from './edits.ts';
import type { FiledPlan } from './file-plan.ts';
import { eventually, type Person } from './person.ts';
import { goalOf, type Task } from './work.ts';

/** Compares the final state over MCP, over REST and in the files. Throws if they differ. */
export async function checkEnd(
  url: string,
  agent: Agent,
  person: Person,
  filed: FiledPlan,
  say: (line: string) => void,
): Promise<void> {
  for (const [name, id] of filed.goals) {
    const { status } = await goalOf(agent, id);
    if (status !== 'complete') throw new Error(`The goal ${name} should be complete and is ${status}.`);
  }
  const { tasks } = await read<{ tasks: Task[] }>(`${url}/api/v1/projects/${filed.projectId}/tasks`);
  const open = tasks.filter(({ status }) => status !== 'done');
  if (open.length > 0)
    throw new Error(`Over REST these tasks are still open: ${open.map(({ label }) => label).join(', ')}.`);
  for (const label of [sharper, dropped.label]) {
    if (!tasks.some((task) => task.label === label)) throw new Error(`Over REST there is no task "${label}".`);
  }
  const { documents } = await read<{ documents: unknown[] }>(`${url}/api/v1/projects/${filed.projectId}/documents`);
  await eventually(
    () => (tasks.every(({ id, label }) => label === dropped.label || isDone(person, id)) ? true : undefined),
    'every file to contain what was acknowledged',
  );
  const shown = tasks.find(({ id }) => id === filed.tasks.get(byHand))!;
  if (shown.assignee !== null) throw new Error(`"${shown.label}" was done by hand and should have no assignee.`);
  say(
    `\nThe end: ${filed.goals.size} goals complete, ${tasks.length} tasks done, ${documents.length} documents; MCP, REST and the files agree`,
  );
}

function isDone(person: Person, id: string): boolean {
  return /^status: done$/m.test(person.read(id));
}

async function read<T>(url: string): Promise<T> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`GET ${url} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}
