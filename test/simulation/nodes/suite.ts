import { expect } from 'chai';
import { shrink } from '../shrink.ts';
import { nodeScheduleOf } from './node-schedule.ts';
import { simulateNodes } from './node-simulation.ts';

/** The number of steps of one simulation. */
export const nodeSteps = 200;

export const nodesProcess = new URL('nodes-process.ts', import.meta.url);

/** Simulates new seeds. A failure names its seed and the shortest schedule that was found. Returns the number of calls. */
export async function simulateNodesOf(seeds: number): Promise<number> {
  const from = Number(process.env['PLANNER_TEST_SEED'] ?? Date.now() % 2 ** 31);
  let operations = 0;
  for (let seed = from; seed < from + seeds; seed++) {
    const schedule = nodeScheduleOf(seed, nodeSteps);
    const outcome = await simulateNodes(schedule);
    operations += outcome.operations;
    const [failure] = outcome.failures;
    if (failure === undefined) continue;
    const { outcome: shortest } = await shrink(schedule, outcome, simulateNodes);
    console.log(shortest.lines.join('\n'));
    expect.fail(`npm run simulate -- --nodes --seed ${seed} --operations ${nodeSteps}: ${failure}`);
  }
  return operations;
}
