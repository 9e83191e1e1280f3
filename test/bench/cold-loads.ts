import { systemClock } from '../../src/base/clock.ts';
import { createProject } from '../../src/domain/plan/projects.ts';
import { derivedIndexes } from '../../src/domain/derived-indexes.ts';
import { describeEntry } from '../../src/domain/feed/describe-entry.ts';
import { collections, type PlannerCollections } from '../../src/domain/records/collections.ts';
import { createTask } from '../../src/domain/plan/tasks.ts';
import { serviceCollections } from '../../src/operations/service-collections.ts';
import { HostedStore } from '../../src/store/hosted/node/hosted-store.ts';
import type { SharedStorage } from '../../src/store/hosted/storage/shared-storage.ts';
import { snapshotDefaults } from '../../src/store/hosted/node/snapshot-taker.ts';
import { MemorySnapshots } from '../support/memory-snapshots.ts';
import { median } from './measure.ts';
import { textOf } from './plans.ts';

const descriptionBytes = 300;
const callers = 64;
const meta = { author: 'human:bench', source: 'rest' } as const;

type Store = HostedStore<PlannerCollections>;
export type Open = (instead?: Partial<SharedStorage>) => Promise<SharedStorage>;

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

/** A project of so many tasks, each of which was changed once. */
async function fill(store: Store, tasks: number): Promise<void> {
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

/** Medians in milliseconds, each with its subject. */
export interface Loading {
  /** Until the project is in the memory of a node that was opened. */
  readonly ms: number;
  readonly times: readonly number[];
  /** Processor time of this thread meanwhile. */
  readonly ownMs: number;
  /** The longest turn of the event loop, in rounds of their own: measuring it takes time. */
  readonly turnMs: number;
}

async function loaded(open: () => Promise<SharedStorage>, rounds: number): Promise<Loading> {
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
  return { ms: median(times), times, ownMs: median(own), turnMs: median(turns) };
}

export interface ColdLoads {
  readonly snapshot: Loading;
  /** The loading of all entries, two for each task. */
  readonly replay: Loading;
  readonly snapshotTakenMs: number;
}

/** How long a node takes to load a project of so many tasks from its snapshot, and from all entries of its log. */
export async function coldLoads(open: Open, tasks: number, rounds: number): Promise<ColdLoads> {
  const writer = await openStore(await open());
  await fill(writer, tasks);
  await writer.close();
  const replay = await loaded(() => open({ snapshots: new MemorySnapshots() }), rounds);
  const taker = await openStore(await open(), 1);
  const began = systemClock.monotonic();
  await taker.whenSnapshotsTaken();
  const snapshotTakenMs = systemClock.monotonic() - began;
  await taker.close();
  return { snapshot: await loaded(() => open(), rounds), replay, snapshotTakenMs };
}
