import { expect } from 'chai';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { limits } from '../../src/base/limits.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { jsonPieces } from '../../src/store/record/json-pieces.ts';
import { eachInSteps, type Steps } from '../../src/base/slices.ts';
import type { Tx } from '../../src/store/record/read-transaction.ts';
import { faultyDisk } from '../support/faulty-disk.ts';
import { hookedDisk } from '../support/hooked-disk.ts';
import { ManualClock } from '../support/manual-clock.ts';
import {
  change,
  fileNamed,
  makeProject,
  meta,
  newItem,
  openStore,
  projectDirectory,
  read,
  testCollections,
  type TestCollections,
  type TestStore,
} from '../support/plan-store.ts';
import { scratchDirectory } from '../support/scratch.ts';
import { rarely } from '../support/rarely.ts';

/** Keeps the thread busy for longer than a slice may last. */
function work(): void {
  const began = performance.now();
  while (performance.now() - began < 20);
}

function put(tx: Tx<TestCollections>, title: string): void {
  const id = tx.newId('task');
  tx.put('task', { id, created_at: tx.now, title, status: 'todo', owner: null, text: '', tags: [], links: [] });
}

describe('A change in slices', () => {
  const original = { ...limits };
  let store: TestStore;
  // Before the scratch directory's own hook, which removes the files.
  afterEach(() => store.close());
  const scratch = scratchDirectory();
  let project: string;
  let other: string;

  beforeEach(async () => {
    store = await openStore(scratch.path);
    project = await makeProject(store);
    other = await makeProject(store, 'Other');
  });

  const titles = (): Promise<string[]> =>
    store.read(project, (view) => [...view.list('task')].map(({ title }) => title).sort());

  /** Puts records one by one; `between` runs between them, for other requests. */
  function* slowly(tx: Tx<TestCollections>, between: () => void = () => undefined): Steps<void> {
    for (let i = 0; i < 5; i++) {
      put(tx, `slice ${i}`);
      work();
      yield;
      between();
    }
  }

  it('lets other requests be served, while readers of its project wait and see all of it [A.slices.turns, A.slices.whole]', async () => {
    let answered = 0;
    const seen: number[] = [];
    const changed = store.updateSliced(project, meta, (tx) =>
      slowly(tx, () => {
        seen.push(answered);
        void store.read(other, (view) => view.count('task')).then(() => answered++);
      }),
    );
    const readers = [titles(), titles()];
    const after = store.update(project, meta, (tx) => put(tx, 'after'));
    await changed;
    expect(seen.at(-1), 'views of another project answered before the last slice').to.be.greaterThan(1);
    const whole = ['slice 0', 'slice 1', 'slice 2', 'slice 3', 'slice 4'];
    for (const reader of readers)
      expect((await reader).filter((title) => title.startsWith('slice'))).to.deep.equal(whole);
    await after;
    expect(await titles()).to.deep.equal(['after', ...whole]);
  });

  it('that fails in the middle leaves no trace [A.slices.whole]', async () => {
    const refused = store.updateSliced(project, meta, function* (tx) {
      yield* slowly(tx);
      throw new Error('refused');
    });
    const reader = titles();
    expect(await refused.catch((error: unknown) => (error as Error).message)).to.equal('refused');
    expect(await reader).to.deep.equal([]);
    await store.update(project, meta, (tx) => put(tx, 'after'));
    expect(await titles()).to.deep.equal(['after']);
  });

  it('creates a project that is not visible before it is complete [A.slices.whole]', async () => {
    const seen: number[] = [];
    const made = store.createProjectSliced('Third', meta, function* (tx) {
      tx.put('project', { id: tx.project, created_at: tx.now, name: 'Third' });
      yield* slowly(tx, () => seen.push(store.projects().length));
      return tx.project;
    });
    const id = await made;
    expect(new Set(seen)).to.deep.equal(new Set([2]));
    expect(store.projects()).to.include(id);
    expect(await store.read(id, (view) => view.count('task'))).to.equal(5);
  });

  it('is rolled back before the changes that it depends on if the journal fails before its end [A.slices.whole, A.write.failed]', async () => {
    await store.close();
    const disk = faultyDisk();
    store = await openStore(scratch.path, { disk });
    const item = await newItem(store, project, { title: 'kept' });
    await store.flush();
    disk.arm({ at: 1, kind: 'error', code: 'EIO' });
    const first = change(store, project, 'task', item.id, { title: 'lost' });
    const outcome = (error: unknown): unknown => (error as { code?: unknown }).code;
    const second = store.updateSliced(project, meta, function* (tx) {
      tx.put('task', { ...tx.get('task', item.id)!, owner: 'me' });
      yield* slowly(tx);
    });
    expect(await first.catch(outcome)).to.equal('unavailable');
    expect(await second.catch(outcome)).to.equal('unavailable');
    expect(await titles()).to.deep.equal(['kept']);
    disk.arm(undefined);
    store.abandon();
    store = await openStore(scratch.path);
    expect(await titles()).to.deep.equal(['kept']);
  });

  it('does as much in each turn for many records as for few, also when it is undone [A.slices.bounded]', async () => {
    await store.close();
    Object.assign(limits, { turnBudgetMs: 0 });
    // The work since the turn began, and the most of any turn.
    let [done, most] = [0, 0];
    const count = (weight: number): void => void (most = Math.max(most, (done += weight)));
    let turn: NodeJS.Immediate | undefined;
    const next = (): void => {
      done = 0;
      turn = setImmediate(next);
    };
    try {
      store = await openStore(scratch.path, {
        describe: (body) => {
          for (const { to } of body.changes) count(1 + (to?.links?.length ?? 0));
          return [];
        },
        // The derived index of each record that is changed, or changed back.
        derived: { counted: () => ({ fields: { task: ['title'] }, changed: () => count(1) }) },
        collections: testCollections.map((one) => ({
          ...one,
          validate: (record) => {
            count(1);
            return one.validate(record);
          },
        })),
      });
      next();
      const made = (isUndone: boolean): Promise<void> =>
        store.updateSliced(project, { ...meta, via: 'import' }, function* (tx) {
          yield* eachInSteps(Array(3000).keys(), (at) => put(tx, `title ${at}`));
          if (isUndone) throw new Error('undone');
        });
      expect(await made(true).catch((error: unknown) => (error as Error).message)).to.equal('undone');
      expect(await titles()).to.deep.equal([]);
      await made(false);
      expect(await titles()).to.have.length(3000);
      expect(most).to.be.below(200);
    } finally {
      clearImmediate(turn);
      Object.assign(limits, { turnBudgetMs: original.turnBudgetMs });
    }
  });

  rarely(
    'of thousands of records is in the journal as a whole after a crash [A.slices.whole, A.slices.encoded]',
    async () => {
      await store.updateSliced(project, meta, function* (tx) {
        for (let i = 0; i < 3000; i++) {
          put(tx, `title ${i} "quoted" ü\n`);
          yield;
        }
      });
      store.abandon();
      store = await openStore(scratch.path);
      expect(await titles()).to.have.length(3000);
      expect(store.check()).to.deep.equal([]);
    },
  );

  it('is encoded in pieces to the same bytes as in one step [A.slices.encoded]', () => {
    const list = Array.from({ length: 5000 }, (_, i) => (i % 7 === 0 ? undefined : { i, text: 'ü"\n'.repeat(20) }));
    const values = [
      {},
      { a: undefined, b: 1, c: null },
      { at: 'now', 'x"y': list, z: [1, 2], e: [] },
      { list, b: list },
    ];
    for (const value of values) {
      const pieces = [...jsonPieces(value)];
      expect(pieces.join('')).to.equal(JSON.stringify(value));
    }
    expect([...jsonPieces({ list })].length).to.be.greaterThan(1);
  });

  it('that git makes to the files is found in turns, and becomes visible in one step [A.slices.turns, A.slices.whole, A.edit.burst]', async () => {
    // Only the first of two directories would be looked at.
    await store.deleteProject(other, meta);
    const ids = await store.update(project, meta, (tx) => {
      for (let i = 0; i < 200; i++) put(tx, `before ${i}`);
      return [...tx.list('task')].map(({ id }) => id);
    });
    await store.close();
    mkdirSync(join(scratch.path, '.git'));
    let turn = 0;
    const turns: number[] = [];
    const slow = (path: string): void => {
      if (!path.includes('/tasks/')) return;
      turns.push(turn);
      const began = performance.now();
      while (performance.now() - began < 1);
    };
    store = await openStore(scratch.path, { watch: true, disk: hookedDisk({ readSame: slow }) });
    await store.watching();
    turns.length = 0;
    const counting = setInterval(() => turn++, 1);
    const lock = join(scratch.path, '.git/index.lock');
    writeFileSync(lock, '');
    const directory = projectDirectory(scratch.path);
    for (const id of ids) {
      const path = fileNamed(directory, id);
      writeFileSync(path, readFileSync(path, 'utf8').replace('before', 'changed'));
    }
    rmSync(lock);
    const seen = new Set<number>();
    while (!seen.has(ids.length)) {
      seen.add((await titles()).filter((title) => title.startsWith('changed')).length);
      await new Promise((resolve) => setImmediate(resolve));
    }
    clearInterval(counting);
    expect([...seen].filter((count) => count !== 0 && count !== ids.length)).to.deep.equal([]);
    expect(new Set(turns).size, 'turns of the event loop in which files were read').to.be.greaterThan(3);
    await store.flush();
    expect(store.check()).to.deep.equal([]);
  });
});

describe('The index cache of a running store', () => {
  const scratch = scratchDirectory();

  it('avoids reading unchanged files at an opening after a kill [A.open.cache-running]', async () => {
    const clock = new ManualClock(systemClock.now());
    let store = await openStore(scratch.path, { clock });
    const project = await makeProject(store);
    const item = await newItem(store, project, { title: 'unchanged' });
    const changed = await newItem(store, project, { title: 'before' });
    await clock.during(store.flush());
    const cache = join(scratch.path, '.planner/local/index-cache');
    await clock.until(() => existsSync(cache));
    await change(store, project, 'task', changed.id, { title: 'after' });
    await clock.during(store.flush());
    store.abandon();
    const reads: string[] = [];
    const disk = hookedDisk({ readSame: (path) => void reads.push(path) });
    store = await openStore(scratch.path, { clock, disk });
    try {
      expect(reads.some((path) => path.includes(changed.id))).to.equal(true);
      expect(reads.filter((path) => path.includes(item.id))).to.deep.equal([]);
      expect((await read(store, project, 'task', item.id))?.title).to.equal('unchanged');
      expect((await read(store, project, 'task', changed.id))?.title).to.equal('after');
      const revisions = await store.read(project, (view) => view.revisions(changed.id));
      expect(revisions.map(({ author }) => author)).to.deep.equal(['human:test']);
      expect(store.check()).to.deep.equal([]);
      expect(nodeDisk.stat(cache)?.kind).to.equal('file');
    } finally {
      await clock.during(store.close());
    }
  });
});
