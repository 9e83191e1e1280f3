import { createHash } from 'node:crypto';
import type { Agent } from './agent.ts';
import type { Surface } from './plan.ts';

export interface Task {
  readonly id: string;
  readonly label: string;
  readonly status: string;
  readonly kind: string;
  readonly assignee: string | null;
  readonly tags: readonly { readonly name: string }[];
}

export interface Goal {
  readonly id: string;
  readonly name: string | null;
  readonly status: string;
  /** JSON of a surface. */
  readonly verification_surface: string | null;
  readonly last_verification: { readonly green: boolean; readonly detail?: string } | null;
  readonly cycle_tasks: readonly Task[];
}

interface Next {
  readonly next: {
    readonly next_task: Task | null;
    readonly reason: string;
    readonly blocked_total: number;
  };
}

/** Called before each task of a goal is requested, with the number done so far: the person's edits are made here. */
export type Between = (done: number) => Promise<void>;

/**
 * Works a goal as every agent does: invokes it, then gets the next task, claims it, does it and marks it done, until none is left. Resolves
 * with the labels of the tasks done.
 */
export async function workGoal(
  agent: Agent,
  goalId: string,
  say: (line: string) => void,
  between: Between,
): Promise<string[]> {
  await agent.call('invoke_goal', { goal_id: goalId });
  const done: string[] = [];
  for (;;) {
    await between(done.length);
    // Without a goal, the session's current one is used, which invoke_goal set.
    const { next } = await agent.call<Next>('get_next_task', await projectOf(agent, goalId));
    if (next.next_task === null) {
      if (next.reason !== 'no_todo_tasks')
        throw new Error(`get_next_task stopped at ${next.reason} with ${next.blocked_total} tasks blocked.`);
      return done;
    }
    if (await workTask(agent, next.next_task, say)) done.push(next.next_task.label);
  }
}

/** Claims a task, does it and marks it done. Returns false if another agent has it already. */
export async function workTask(agent: Agent, task: Task, say: (line: string) => void): Promise<boolean> {
  const { claimed } = await agent.call<{ claimed: boolean }>('claim_task', {
    task_id: task.id,
    agent_ref: agent.name,
    lease_seconds: 900,
  });
  if (!claimed) return false;
  const { task: finished } = await agent.call<{ task: Task }>('update_task', {
    task_id: task.id,
    agent_ref: agent.name,
    status: 'done',
    ...(task.kind === 'decision'
      ? { description: 'Decided: the simplest that works.' }
      : { commit_refs: [commitOf(task)] }),
  });
  say(
    `done   ${finished.label}${finished.tags.length === 0 ? '' : `  [${finished.tags.map(({ name }) => name).join(', ')}]`}`,
  );
  return true;
}

/** Evidence that a goal's surface is green, or, for a gate, red. */
export function evidenceFor(surface: Surface, green = true): Record<string, unknown> {
  switch (surface.kind) {
    case 'gate_command':
      return {
        kind: surface.kind,
        exit_code: green ? 0 : 1,
        command: surface.command,
        detail: green ? '48 passing' : '47 passing, 1 failing: sold pots can be put into the basket',
      };
    case 'acceptance_checklist':
      return { kind: surface.kind, checked: surface.items.map(({ criterion }) => criterion) };
    case 'human_sign_off':
      return { kind: surface.kind, approved_by: 'Lea, potter' };
  }
}

export async function goalOf(agent: Agent, goalId: string): Promise<Goal> {
  const { goal } = await agent.call<{ goal: Goal }>('get_goal', { goal_id: goalId });
  return goal;
}

const projects = new Map<string, { project_id: string }>();

/** The project of a goal; requested once. */
async function projectOf(agent: Agent, goalId: string): Promise<{ project_id: string }> {
  let known = projects.get(goalId);
  if (known === undefined) {
    const { goal } = await agent.call<{ goal: { project_id: string } }>('get_goal', { goal_id: goalId });
    projects.set(goalId, (known = { project_id: goal.project_id }));
  }
  return known;
}

/** In place of the commit that the work would have made. */
function commitOf({ id }: Task): string {
  return createHash('sha1').update(id).digest('hex').slice(0, 12);
}
