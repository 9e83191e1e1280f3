import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fault, type FaultyDisk, faultyDisk } from '../support/faulty-disk.ts';
import { Random, roundsOf } from '../support/random.ts';
import {
  change,
  makeProject,
  meta,
  newFolder,
  newItem,
  newPage,
  openStore,
  type TestStore,
} from '../support/plan-store.ts';

/**
 * The acknowledged state of each record: its last acknowledged value, and one that may have become durable without an
 * answer.
 */
interface Acknowledged {
  readonly projects: Set<string>;
  readonly titles: Map<string, { title: string | undefined; maybe?: string | undefined }>;
}

/** A little of everything: two projects, records that are added, changed, moved and removed, with checkpoints in between. */
async function scenario(store: TestStore, known: Acknowledged): Promise<void> {
  const put = async (
    id: string | undefined,
    work: () => Promise<{ id: string; title: string }>,
    title: string | undefined,
  ): Promise<string> => {
    if (id !== undefined) known.titles.set(id, { title: known.titles.get(id)?.title, maybe: title });
    const record = await work();
    known.titles.set(record.id, { title });
    return record.id;
  };
  const project = await makeProject(store);
  known.projects.add(project);
  const first = await put(undefined, () => newItem(store, project, { title: 'first' }), 'first');
  await store.flush();
  await put(
    first,
    () => change(store, project, 'task', first, { title: 'first changed', text: 'x'.repeat(5000) }),
    'first changed',
  );
  const folder = await newFolder(store, project, { name: 'Folder' });
  const page = await put(undefined, () => newPage(store, project, { title: 'page', folder_id: folder.id }), 'page');
  await store.flush();
  await change(store, project, 'folder', folder.id, { name: 'Renamed' });
  await put(page, () => change(store, project, 'document', page, { title: 'page renamed' }), 'page renamed');
  await store.flush();
  const gone = await put(undefined, () => newItem(store, project, { title: 'gone' }), 'gone');
  await store.flush();
  await put(
    gone,
    () => store.update(project, meta, (tx) => (tx.remove('task', gone), { id: gone, title: '' })),
    undefined,
  );
  const pair = await store.update(project, meta, (tx) =>
    ['left', 'right'].map((title) =>
      tx.put('task', {
        id: tx.newId('task'),
        created_at: tx.now,
        title,
        status: 'todo',
        owner: null,
        text: '',
        tags: [],
        links: [],
      }),
    ),
  );
  for (const { id, title } of pair) known.titles.set(id, { title });
  await store.flush();
}

async function attempt(directory: string, disk: FaultyDisk): Promise<Acknowledged> {
  const known: Acknowledged = { projects: new Set(), titles: new Map() };
  let store: TestStore | undefined;
  try {
    store = await openStore(directory, { disk, parkedRetryMs: 5, log: () => undefined });
    await scenario(store, known);
    await store.close();
  } catch {
    // The result of the last call does not count, only earlier acknowledged changes.
    store?.abandon();
  }
  disk.closeAll();
  return known;
}

async function verify(directory: string, known: Acknowledged, where: string): Promise<void> {
  const store = await openStore(directory);
  try {
    await store.flush();
    await store.rescan();
    expect(store.check(), `check after ${where}`).to.deep.equal([]);
    for (const id of known.projects) expect(store.projects(), `project after ${where}`).to.include(id);
    const [project] = store.projects();
    if (project === undefined) return;
    await store.read(project, (view) => {
      for (const [id, { title, maybe }] of known.titles) {
        const found = view.find(id)?.record as unknown as { title?: string } | undefined;
        expect([title, maybe], `${id} after ${where}`).to.include(found?.title);
      }
      const titles = [...view.list('task')].map((task) => task.title);
      expect(titles.includes('left'), `one transaction after ${where}`).to.equal(titles.includes('right'));
    });
  } finally {
    await store.close();
  }
}

/** Every so many calls, from anywhere on: test/crash lets many more of them fail, in the long run all. */
const stride = roundsOf(9);

describe('a failing disk', function () {
  this.timeout(120_000);
  const start = Random.announced('faults');

  async function calls(): Promise<number> {
    const directory = mkdtempSync(join(tmpdir(), 'planner-fault-'));
    const disk = faultyDisk();
    await attempt(directory, disk);
    rmSync(directory, { recursive: true, force: true });
    return disk.calls;
  }

  const kinds: readonly { readonly name: string; readonly fault: (at: number) => Fault }[] = [
    { name: 'dies', fault: (at) => ({ at, kind: 'stop' }) },
    { name: 'dies in the middle of a write', fault: (at) => ({ at, kind: 'stop', torn: 'half' }) },
    { name: 'fails with EIO', fault: (at) => ({ at, kind: 'error', code: 'EIO' }) },
    { name: 'is full', fault: (at) => ({ at, kind: 'short' }) },
  ];
  for (const { name, fault } of kinds) {
    it(`at any call (${name}) leaves the state before or after, never between, with everything acknowledged [A.crash.calls, A.write.durable]`, async () => {
      const total = await calls();
      expect(total).to.be.greaterThan(50);
      for (let at = start.integer(1, stride); at <= total; at += stride) {
        const directory = mkdtempSync(join(tmpdir(), 'planner-fault-'));
        try {
          const disk = faultyDisk({ fault: fault(at) });
          const known = await attempt(directory, disk);
          await verify(directory, known, `${name} at call ${at}`);
        } finally {
          rmSync(directory, { recursive: true, force: true });
        }
      }
    });
  }

  it('during recovery leaves everything to the next recovery [A.crash.calls]', async () => {
    const total = await calls();
    for (let at = Math.floor(total / 2); at <= total; at += 13) {
      for (let second = start.integer(1, 13); second <= 40; second += 13) {
        const directory = mkdtempSync(join(tmpdir(), 'planner-fault-'));
        try {
          const known = await attempt(directory, faultyDisk({ fault: { at, kind: 'stop' } }));
          const disk = faultyDisk({ fault: { at: second, kind: 'stop' } });
          let store: TestStore | undefined;
          try {
            store = await openStore(directory, { disk, log: () => undefined });
            await store.flush();
            await store.close();
          } catch {
            store?.abandon();
          }
          disk.closeAll();
          await verify(directory, known, `death at call ${at}, then at call ${second} of the recovery`);
        } finally {
          rmSync(directory, { recursive: true, force: true });
        }
      }
    }
  });
});
