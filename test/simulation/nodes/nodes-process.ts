import type { HistoryOutcome } from '../../hosted/history.ts';
import type { Judged } from '../../hosted/history-process.ts';
import { nodeScheduleOf } from './node-schedule.ts';
import { simulateNodes } from './node-simulation.ts';

/** A process that simulates nodes with sources that differ from its parent's: `operations` is the number of steps. */
process.on('message', (asked: Judged) => void answer(asked));
process.on('disconnect', () => process.exit());

async function answer({ seed, operations: steps }: Judged): Promise<void> {
  const { operations, failures } = await simulateNodes(nodeScheduleOf(seed, steps));
  process.send!({ operations, unknown: 0, refused: 0, failure: failures[0] } satisfies HistoryOutcome);
}
