import { expect } from 'chai';
import { limits } from '../../src/base/limits.ts';
import { Fetched, LookUps, Needed, untilFetched } from '../../src/store/record/look-ups.ts';
import type { DerivedIndex } from '../../src/store/record/read-transaction.ts';
import type { StoredRecord } from '../../src/store/record/record.ts';
import { type FaultyDisk, faultyDisk } from '../support/faulty-disk.ts';
import { change, type Item, makeProject, meta, newItem, openStore, type TestStore } from '../support/plan-store.ts';
import { scratchDirectory } from '../support/scratch.ts';

const large = (letter: string): string => letter.repeat(limits.residentTextBytesMax + 1);
const blocking = ['read', 'readIfExists', 'readRange', 'readAll', 'readAt'] as const;

/** Compares texts at every change, as the index of bodies does. */
class Comparing implements DerivedIndex {
  readonly fields = { task: ['title', 'text'] };
  readonly seen: boolean[] = [];

  changed(_collection: string, from: StoredRecord | undefined, to: StoredRecord | undefined): void {
    if (from !== undefined && to !== undefined) this.seen.push((from as Item).text === (to as Item).text);
  }
}

describe('Look-ups outside of memory', () => {
  const scratch = scratchDirectory();
  let disk: FaultyDisk;
  let store: TestStore;
  let project: string;
  let id: string;
  let comparing: Comparing;

  const reopen = async (): Promise<void> => {
    await store.close();
    await open();
  };
  const open = async (): Promise<void> => {
    comparing = new Comparing();
    store = await openStore(scratch.path, { disk, derived: { comparing: () => comparing }, rescanIntervalMs: 0 });
  };
  /** How often the disk was read by calls that block, and by others. */
  const reads = (): { blocking: number; beside: number } => ({
    blocking: blocking.reduce((sum, name) => sum + (disk.counts.get(name) ?? 0), 0),
    beside: disk.counts.get('readAtAsync') ?? 0,
  });
  const since = (before: ReturnType<typeof reads>): ReturnType<typeof reads> => {
    const now = reads();
    return { blocking: now.blocking - before.blocking, beside: now.beside - before.beside };
  };

  beforeEach(async () => {
    disk = faultyDisk();
    await open();
    project = await makeProject(store);
    ({ id } = await newItem(store, project, { title: 'Large', text: large('a') }));
    await store.flush();
    await reopen();
    await store.watching();
  });
  afterEach(() => store.close());

  it('of a large text run a read again once the text is fetched, and block nothing', async () => {
    let runs = 0;
    const before = reads();
    const text = await store.read(project, (view) => {
      runs++;
      return view.get('task', id)!.text;
    });
    expect(text).to.equal(large('a'));
    expect(runs).to.equal(2);
    expect(since(before)).to.deep.equal({ blocking: 0, beside: 1 });
    expect(await store.readAll((views) => views.map((view) => view.get('task', id)!.text))).to.deep.equal([text]);
  });

  it('run no read again that needs no text', async () => {
    let runs = 0;
    const before = reads();
    await store.read(project, (view) => (runs++, view.get('task', id)!.title));
    expect([runs, since(before)]).to.deep.equal([1, { blocking: 0, beside: 0 }]);
  });

  it('run a change again, of which the first run leaves nothing', async () => {
    const other = await newItem(store, project, { title: 'Other' });
    const version = await store.read(project, (view) => view.version('task'));
    let runs = 0;
    const before = reads();
    await store.update(project, meta, (tx) => {
      runs++;
      tx.put('task', { ...tx.get('task', other.id)!, title: `Run ${runs}` });
      tx.put('task', { ...tx.get('task', id)!, text: large('b') });
    });
    expect(runs).to.equal(2);
    expect(since(before)).to.deep.equal({ blocking: 0, beside: 1 });
    await store.read(project, (view) => {
      expect(view.get('task', other.id)!.title).to.equal('Run 2');
      expect([...view.since('task', version)!.ids].sort()).to.deep.equal([id, other.id].sort());
      expect(view.revisions(id).map(({ before: { text } }) => text)).to.deep.equal([large('a')]);
      expect(view.revisions(other.id)).to.have.length(1);
    });
    expect(store.check()).to.deep.equal([]);
  });

  it('are made before anything is changed, if a derived index compares the text', async () => {
    await store.update(project, meta, (tx) => {
      const { created_at, status, owner, tags, links } = tx.get('task', id)!;
      tx.put('task', { id, created_at, status, owner, tags, links, title: 'Renamed', text: 'short' });
    });
    expect(comparing.seen).to.deep.equal([false]);
    expect(await store.read(project, (view) => view.get('task', id)!.title)).to.equal('Renamed');
    expect(store.check()).to.deep.equal([]);
  });

  it('of many texts in one rule run it no more than three times', async () => {
    for (const letter of 'bcdefg') await newItem(store, project, { title: letter, text: large(letter) });
    await store.flush();
    await reopen();
    let runs = 0;
    const texts = await store.read(project, (view) => (runs++, Array.from(view.list('task'), ({ text }) => text[0])));
    expect([texts.join(''), runs]).to.deep.equal(['abcdefg', 3]);
  });

  it('of revisions read the revisions of a page together', async () => {
    for (let at = 0; at < 20; at++) await change(store, project, 'task', id, { status: `s${at}` });
    await store.flush();
    await reopen();
    await store.watching();
    let runs = 0;
    const before = reads();
    const statuses = await store.read(project, (view) => {
      runs++;
      return Array.from(view.history({ target: id }), ({ before: { status } }) => status);
    });
    expect(statuses).to.have.length(20);
    expect(runs).to.equal(2);
    expect(since(before).blocking).to.equal(0);
    expect(since(before).beside).to.be.at.most(2);
    const streamed = await store.read(project, (view) => view.streamHistory({ target: id }));
    await change(store, project, 'task', id, { status: 'later' });
    const found: unknown[] = [];
    for await (const some of streamed) found.push(...some.map(({ before: { status } }) => status));
    expect(found, 'as of the call').to.deep.equal(statuses);
  });
});

describe('A rule that needs data outside of memory', () => {
  it('is run again until it needs nothing', async () => {
    const lookUps = new LookUps();
    const shelf = new Map([
      ['a', 'b'],
      ['b', 'c'],
    ]);
    let blocked = 0;
    const get = (key: string): string =>
      lookUps.get(key, {
        now: () => (blocked++, shelf.get(key)!),
        later: () => Promise.resolve([[key, shelf.get(key)!]]),
      });
    expect(await untilFetched((fetched) => lookUps.within(fetched, () => get(get('a'))))).to.equal('c');
    expect(blocked).to.equal(0);
    expect(get('a'), 'outside of a rule').to.equal('b');
    expect(blocked).to.equal(1);
    expect(() => lookUps.within(new Fetched(), () => get('b'))).to.throw(Needed);
  });
});
