import { systemClock } from '../../src/clock.ts';
import { createProject } from '../../src/domain/projects.ts';
import { derivedIndexes } from '../../src/domain/derived-indexes.ts';
import { describeEntry } from '../../src/domain/describe-entry.ts';
import { collections, type PlannerCollections } from '../../src/domain/records/collections.ts';
import { createTask } from '../../src/domain/tasks.ts';
import { serviceCollections } from '../../src/operations/service-collections.ts';
import { HostedStore } from '../../src/store/hosted/hosted-store.ts';
import { openPgStorage } from '../../src/store/hosted/pg-storage.ts';
import type { SharedStorage } from '../../src/store/hosted/shared-storage.ts';
import { snapshotDefaults } from '../../src/store/hosted/snapshot-taker.ts';
import { MemoryBlobs } from '../support/memory-blobs.ts';
import { MemorySnapshots } from '../support/memory-snapshots.ts';
import { PostgresCluster } from '../support/postgres-cluster.ts';
import { whyNoPostgres } from '../support/postgres.ts';
import { SimulatedLog, SimulatedLogServer } from '../store/log/simulated-log.ts';
import { textOf } from './plans.ts';

/**
 * How long a node takes to load a project of 10,000 tasks, each of which was changed once: from its snapshot, and from the
 * 20,000 entries of its log. Run it with `node test/bench/cold-load.ts`. To be reached: 0.3 s, and 30,000 change sets/s.
 */
const tasks = Number(process.argv[2] ?? 10_000);
const rounds = 5;
const descriptionBytes = 300;
const callers = 64;
const meta = { author: 'human:bench', source: 'rest' } as const;

type Store = HostedStore<PlannerCollections>;
type Open = (instead?: Partial<SharedStorage>) => Promise<SharedStorage>;

function openStore(storage: SharedStorage, entries = Infinity): Promise<Store> {
  return HostedStore.open<PlannerCollections>({
    ...{ storage, collections, serviceCollections, derived: derivedIndexes, describe: describeEntry },
    snapshots: { ...snapshotDefaults, entries, characters: Infinity },
    report: (message) => console.error(message),
  });
}

async function together(count: number, act: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: callers }, worker));
}

async function fill(store: Store): Promise<void> {
  const project = await store.createProject('Plan', meta, (tx) => createProject(tx, { name: 'Plan' }).id);
  const ids: string[] = [];
  await together(tasks, async (at) => {
    const description = textOf(descriptionBytes, at);
    const label = `Task ${at}`;
    ids.push(await store.update(project, meta, (tx) => createTask(tx, { label, description }).id));
  });
  await together(tasks, (at) =>
    store.update(project, meta, (tx) => tx.put('task', { ...tx.get('task', ids[at]!)!, status: 'done' })),
  );
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Processor time of this thread in milliseconds: work of others on the machine is not in it. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns the function that ends the measurement and returns the longest turn of the event loop. */
function longestTurn(): () => number {
  let [last, longest, isOver] = [threadMs(), 0, false];
  const turn = (): void => {
    const now = threadMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return longest;
  };
}

/** Medians in milliseconds. */
interface Loading {
  /** Until the project is in the memory of a node that was opened. */
  readonly ms: number;
  /** Processor time of this thread meanwhile. */
  readonly ownMs: number;
  /** The longest turn of the event loop, in rounds of their own: measuring it takes time. */
  readonly turnMs: number;
}

async function measured(open: () => Promise<SharedStorage>): Promise<Loading> {
  const times: number[] = [];
  const own: number[] = [];
  const turns: number[] = [];
  for (let round = 0; round < 2 * rounds; round++) {
    const store = await openStore(await open());
    const [project] = store.projects() as [string];
    const end = round % 2 === 0 ? undefined : longestTurn();
    const [began, before] = [systemClock.monotonic(), threadMs()];
    await store.read(project, (view) => view.count('task'));
    if (end === undefined) {
      times.push(systemClock.monotonic() - began);
      own.push(threadMs() - before);
    } else turns.push(end());
    await store.close();
  }
  return { ms: median(times), ownMs: median(own), turnMs: median(turns) };
}

async function run(name: string, open: Open): Promise<void> {
  const writer = await openStore(await open());
  await fill(writer);
  await writer.close();
  const replay = await measured(() => open({ snapshots: new MemorySnapshots() }));
  const taker = await openStore(await open(), 1);
  const began = systemClock.monotonic();
  await taker.whenSnapshotsTaken();
  const takenMs = systemClock.monotonic() - began;
  await taker.close();
  const snapshot = await measured(() => open());
  const rate = (ms: number): number => Math.round((2 * tasks) / (ms / 1000));
  const shown = ({ ms, ownMs, turnMs }: Loading): string =>
    `${ms.toFixed(0)} ms, of which ${ownMs.toFixed(0)} ms of this thread, longest turn ${turnMs.toFixed(1)} ms`;
  console.log(`${name}, ${tasks} tasks, medians of ${rounds}:`);
  console.log(`  from the snapshot ${shown(snapshot)}`);
  console.log(
    `  from all entries ${shown(replay)}: ${rate(replay.ms)} change sets/s (${rate(replay.ownMs)} of this thread)`,
  );
  console.log(`  taking the snapshot ${takenMs.toFixed(0)} ms`);
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
