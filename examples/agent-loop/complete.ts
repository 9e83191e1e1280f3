import type { Agent } from './agent.ts';
import { eventually, type Person } from './person.ts';
import type { Surface } from './plan.ts';
import { evidenceFor, type Goal, goalOf, type Task, workTask } from './work.ts';

/** How a goal is seen to be reached; on the wire it is JSON text. */
function surfaceOf({ verification_surface: text }: Goal): Surface | null {
  return text === null ? null : (JSON.parse(text) as Surface);
}

/** Completes a goal with green evidence of its surface's kind; one without a surface needs none. */
export async function complete(agent: Agent, goalId: string, say: (line: string) => void): Promise<void> {
  const surface = surfaceOf(await goalOf(agent, goalId));
  const evidence = surface === null ? {} : { evidence: evidenceFor(surface) };
  const { goal } = await agent.call<{ goal: Goal }>('complete_goal', { goal_id: goalId, ...evidence });
  if (goal.status !== 'complete') throw new Error(`${goal.name} should be complete and is ${goal.status}.`);
  say(
    `GOAL   ${goal.name} is complete (${surface?.kind ?? 'nothing to verify'}: ${goal.last_verification?.detail?.replaceAll(/\n+/g, ' ') ?? 'all tasks done'})`,
  );
}

/**
 * Shows a red gate: the goal is blocked and the service creates a remediation task that waits for a person's release. The person releases
 * it in the file; the agent does it and runs the gate again, which is green.
 */
export async function completeAfterRed(
  agent: Agent,
  goalId: string,
  person: Person,
  say: (line: string) => void,
): Promise<void> {
  const before = await goalOf(agent, goalId);
  const known = new Set(before.cycle_tasks.map(({ id }) => id));
  const { goal } = await agent.call<{ goal: Goal }>('complete_goal', {
    goal_id: goalId,
    evidence: evidenceFor(surfaceOf(before)!, false),
  });
  if (goal.status !== 'blocked')
    throw new Error(`${goal.name} should be blocked by red evidence and is ${goal.status}.`);
  const remedy = (await goalOf(agent, goalId)).cycle_tasks.find(({ id }) => !known.has(id));
  if (remedy?.status !== 'scope')
    throw new Error(`Red evidence should have created one task in scope; there is ${JSON.stringify(remedy)}.`);
  say(`RED    ${goal.name} is blocked, and waits for "${remedy.label}"`);
  await person.set(remedy.id, 'status', 'todo');
  const released = await eventually(async () => {
    const { task } = await agent.call<{ task: Task }>('get_task', { task_id: remedy.id });
    return task.status === 'todo' ? task : undefined;
  }, 'the remediation task to be released');
  say('PERSON releases it in its file');
  if (!(await workTask(agent, released, say))) throw new Error('The remediation task could not be claimed.');
  await complete(agent, goalId, say);
}
