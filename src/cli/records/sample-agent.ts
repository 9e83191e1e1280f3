import type { CallPort } from '../service/planner-port.ts';
import type { ShownTask } from './show-task.ts';

/** The name of the agent that works in a sample plan. */
const agent_ref = 'builder-1';
/** The reports of the agent while it works on a task. */
const steps = (label: string): readonly string[] => [
  `Reading the plan around *${label}*`,
  'Wrote a test that fails',
  'The test passes, and the others too',
];

type Pause = () => Promise<void>;

interface Next {
  readonly next_task: ShownTask | null;
}

/**
 * Works in a sample plan as an agent does: takes the next task of each goal, reports a run, and asks a person when nothing is left. `pause`
 * comes between two steps, so that a person can follow; it ends the work by throwing.
 */
export async function workInSample(planner: CallPort, project_id: string, pause: Pause): Promise<void> {
  const { goals } = await planner.call('list_goals', { project_id });
  const active = (goals as readonly { readonly id: string; readonly status: string }[]).filter(
    ({ status }) => status === 'active',
  );
  for (const { id: goal_id } of active) {
    for (
      let task = await nextOf(planner, project_id, goal_id);
      task !== null;
      task = await nextOf(planner, project_id, goal_id)
    ) {
      await workOn(planner, task, pause);
    }
  }
  const { run } = await planner.call('start_agent_run', { project_id, label: 'What comes next', agent_ref });
  await progress(planner, run, 'Nothing is left that I may do. May I write to the local paper?');
}

async function nextOf(planner: CallPort, project_id: string, goal_id: string): Promise<ShownTask | null> {
  return ((await planner.call('get_next_task', { project_id, goal_id }))['next'] as Next).next_task;
}

async function workOn(planner: CallPort, task: ShownTask, pause: Pause): Promise<void> {
  const { id: task_id, project_id, label } = task;
  await planner.call('claim_task', { task_id, agent_ref, lease_seconds: 900 });
  const { run } = await planner.call('start_agent_run', { project_id, label, agent_ref, task_id });
  for (const message of steps(label)) {
    await pause();
    await progress(planner, run, message);
  }
  await pause();
  await planner.call('update_task', { task_id, status: 'done', agent_ref });
  await planner.call('complete_agent_run', { run_id: (run as { readonly id: string }).id, status: 'completed' });
}

async function progress(planner: CallPort, run: unknown, message: string): Promise<void> {
  await planner.call('record_agent_progress', { run_id: (run as { readonly id: string }).id, message, agent_ref });
}
