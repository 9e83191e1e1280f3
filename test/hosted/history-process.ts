import { Random } from '../support/random.ts';
import { type HistoryOutcome, judgeHistory } from './history.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

/** Asks the process to judge the history of a seed. */
export interface Judged {
  readonly seed: number;
  readonly operations: number;
  readonly kills: number;
}

/** A process that judges histories, for sources that differ from its parent's. */
process.on('message', (asked: Judged) => void answer(asked));
process.on('disconnect', () => process.exit());

async function answer({ seed, ...history }: Judged): Promise<void> {
  const random = new Random(seed);
  const cluster = await SimulatedCluster.start({ random });
  const outcome = await judgeHistory({ random, cluster, ...history }).catch((error: unknown) => String(error));
  process.send!(
    typeof outcome === 'string'
      ? ({ operations: 0, unknown: 0, refused: 0, failure: outcome } satisfies HistoryOutcome)
      : outcome,
  );
}
