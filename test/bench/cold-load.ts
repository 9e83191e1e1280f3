import { openPgStorage } from '../../src/store/hosted/postgres/pg-storage.ts';
import { MemoryBlobs } from '../support/memory-blobs.ts';
import { MemorySnapshots } from '../support/memory-snapshots.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { whyNoPostgres } from '../support/postgres.ts';
import { SimulatedLog, SimulatedLogServer } from '../store/log/simulated-log.ts';
import { coldLoads, type Loading, type Open } from './cold-loads.ts';

/**
 * How long a node takes to load a project of 10,000 tasks, each of which was changed once: from its snapshot, and from the
 * 20,000 entries of its log. Run it with `node test/bench/cold-load.ts`. To be reached: 0.3 s, and 30,000 change sets/s.
 */
const tasks = Number(process.argv[2] ?? 10_000);
const rounds = 5;

async function run(name: string, open: Open): Promise<void> {
  const { snapshot, replay, snapshotTakenMs } = await coldLoads(open, tasks, rounds);
  const rate = (ms: number): number => Math.round((2 * tasks) / (ms / 1000));
  const shown = ({ ms, ownMs, turnMs }: Loading): string =>
    `${ms.toFixed(0)} ms, of which ${ownMs.toFixed(0)} ms of this thread, longest turn ${turnMs.toFixed(1)} ms`;
  console.log(`${name}, ${tasks} tasks, medians of ${rounds}:`);
  console.log(`  from the snapshot ${shown(snapshot)}`);
  console.log(
    `  from all entries ${shown(replay)}: ${rate(replay.ms)} change sets/s (${rate(replay.ownMs)} of this thread)`,
  );
  console.log(`  taking the snapshot ${snapshotTakenMs.toFixed(0)} ms`);
}

const server = new SimulatedLogServer();
const shared = new MemorySnapshots(server);
await run('A log in this process', (instead) => {
  const log = new SimulatedLog(server);
  const { answers, revisions, texts } = log;
  return Promise.resolve({
    ...{ log, answers, blobs: new MemoryBlobs(), snapshots: shared, close: () => log.close() },
    ...{ revisions, texts },
    ...instead,
  });
});

if (whyNoPostgres() === undefined) {
  const cluster = await PostgresCluster.startSingle();
  try {
    await run('PostgreSQL', async (instead) => ({
      ...(await openPgStorage({ url: cluster.primary.url, durability: 'disk' })),
      ...instead,
    }));
  } finally {
    await cluster.remove();
  }
}
