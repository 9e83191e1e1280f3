import type { Agent } from './agent.ts';
import type { Plan, PlannedGoal } from './plan.ts';

/** A plan that was created: the ids of its goals by name and of its tasks by the plan's own key. */
export interface FiledPlan {
  readonly projectId: string;
  readonly goals: Map<string, string>;
  readonly tasks: Map<string, string>;
}

interface Scaffolded {
  readonly scaffold: {
    readonly project: { readonly id: string };
    readonly goal: { readonly id: string };
    readonly key_to_id: Readonly<Record<string, string>>;
  };
}

/** Creates a plan: whole goals in one call each if the plan says so, else goal by goal, task by task and edge by edge. */
export async function filePlan(agent: Agent, plan: Plan): Promise<FiledPlan> {
  const [first, ...others] = plan.goals;
  const { scaffold } = await agent.call<Scaffolded>('scaffold_project_from_plan', {
    name: plan.name,
    description: plan.description,
    ...partsOf(first!),
  });
  const filed: FiledPlan = {
    projectId: scaffold.project.id,
    goals: new Map([[first!.name, scaffold.goal.id]]),
    tasks: new Map(Object.entries(scaffold.key_to_id)),
  };
  for (const goal of others) {
    if (goal.made_by === 'scaffold_project_from_plan') await scaffoldGoal(agent, filed, goal);
    else await buildGoal(agent, filed, goal);
  }
  return filed;
}

async function scaffoldGoal(agent: Agent, filed: FiledPlan, goal: PlannedGoal): Promise<void> {
  const { scaffold } = await agent.call<Scaffolded>('scaffold_project_from_plan', {
    project_id: filed.projectId,
    ...partsOf(goal),
  });
  filed.goals.set(goal.name, scaffold.goal.id);
  for (const [key, id] of Object.entries(scaffold.key_to_id)) filed.tasks.set(key, id);
}

async function buildGoal(agent: Agent, filed: FiledPlan, planned: PlannedGoal): Promise<void> {
  const project_id = filed.projectId;
  const { goal } = await agent.call<{ goal: { id: string } }>('create_goal', { project_id, ...contractOf(planned) });
  filed.goals.set(planned.name, goal.id);
  for (const { key, ...task } of planned.tasks) {
    const { task: created } = await agent.call<{ task: { id: string } }>('create_task', {
      project_id,
      goal_id: goal.id,
      ...task,
    });
    filed.tasks.set(key, created.id);
  }
  for (const { from, to, label } of planned.edges) {
    await agent.call('create_edge', {
      project_id,
      from_type: 'task',
      from_id: filed.tasks.get(from),
      to_type: 'task',
      to_id: filed.tasks.get(to),
      ...(label && { label }),
    });
  }
  for (const { title, body, link_to } of planned.documents) {
    await agent.call('create_document', {
      project_id,
      title,
      body,
      link_to: [link_to].flat().map((key) => filed.tasks.get(key)),
    });
  }
}

/** A goal with its tasks and documents, as input of a scaffold. */
function partsOf(planned: PlannedGoal): Record<string, unknown> {
  return { goal: contractOf(planned), tasks: planned.tasks, edges: planned.edges, documents: planned.documents };
}

/** The goal's own members; the verification surface is sent as a JSON string. */
function contractOf({
  name,
  objective,
  verification_surface,
  constraints,
  stop_condition,
  budget,
}: PlannedGoal): Record<string, unknown> {
  return {
    name,
    objective,
    verification_surface: JSON.stringify(verification_surface),
    ...(constraints && { constraints }),
    ...(stop_condition && { stop_condition }),
    ...(budget && { budget }),
  };
}
