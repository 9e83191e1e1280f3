import { expect } from 'chai';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../src/base/limits.ts';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { type FeedBounds, FeedFiles } from '../../src/store/files/feed/feed-files.ts';
import { Feeds } from '../../src/store/files/feed/feeds.ts';
import { pointOf } from '../../src/store/replica/feed-cursor.ts';
import { Feed } from '../../src/store/replica/feed.ts';
import { emptyHead } from '../../src/store/record/log.ts';
import type { EntryBody } from '../../src/store/record/entry.ts';
import type { StoredEvent } from '../../src/store/record/feed.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { powerCutDisk } from '../support/power-cut-disk.ts';
import { Random } from '../support/random.ts';
import { nextTurn } from '../../src/base/slices.ts';
import { scratchDirectory } from '../support/scratch.ts';

/** As many events as the entry has changes, named after them. */
const describeBody = (body: EntryBody): StoredEvent[] =>
  body.changes.map(({ id }) => ({ type: 'item.updated', resource: { type: 'item', id, label: null }, changes: [] }));

const bounds: FeedBounds = { eventsMin: 40, ageMs: 1e9, bytesMax: 1e9, segmentBytes: 600 };
const query = { limit: 1000, accepts: () => true };
const turn = (): Promise<void> => Promise.resolve();

describe('The files of a feed', () => {
  const scratch = scratchDirectory();
  const clock = new ManualClock();
  let directory: string;
  let rounds = 0;
  beforeEach(() => (directory = join(scratch.path, `feed ${++rounds}`)));

  const filesOf = (disk = nodeDisk, more: Partial<FeedBounds> = {}): FeedFiles =>
    new FeedFiles({ disk, clock, directory: `${directory}/prj`, bounds: { ...bounds, ...more } });
  const feedOver = (storage: FeedFiles): Feed =>
    new Feed({ describe: describeBody, storage, head: storage.last ? pointOf(storage.last) : { seq: 0, epoch: 0 } });

  const idOf = (seq: number): string => `evt_000000${String(seq).padStart(10, '0')}`;
  const bodyOf = (seq: number, count: number): EntryBody => ({
    ...{ at: new Date(clock.now()).toISOString(), author: 'human:test', source: 'rest', revisions: [] },
    changes: Array.from({ length: count }, (_, n) => ({ c: 'item', id: `${seq}.${n}` })),
  });
  const idsIn = (feed: Feed, cursor: string | undefined): string[] | undefined =>
    feed.read(cursor, query)?.events.map(({ event }) => event.resource.id);

  it('have no events of a change with too many: cursors before it expire, and a new project has its own [A.feed.bulk]', async () => {
    const original = { ...limits };
    Object.assign(limits, { changeEventsMax: 3 });
    try {
      const feed = feedOver(filesOf());
      const cursorAt = (seq: number): string => feed.cursorAt({ seq, id: idOf(seq) });
      const made = bodyOf(1, 4);
      feed.add(idOf(1), 1, { ...made, changes: [...made.changes, { c: 'project', id: 'prj' }] });
      feed.add(idOf(2), 2, bodyOf(2, 3));
      expect(idsIn(feed, undefined)).to.deep.equal(['prj', '2.0', '2.1', '2.2']);
      await feed.write(turn);
      feed.add(idOf(3), 3, bodyOf(3, 4));
      feed.add(idOf(4), 4, bodyOf(4, 1));
      await feed.write(turn);
      for (const seq of [1, 2]) expect(idsIn(feed, cursorAt(seq))).to.equal(undefined);
      expect(idsIn(feed, cursorAt(3))).to.deep.equal(['4.0']);
      expect(idsIn(feedOver(filesOf()), undefined)).to.deep.equal(['4.0']);
    } finally {
      Object.assign(limits, { changeEventsMax: original.changeEventsMax });
    }
  });

  it('have the part that a power cut leaves, and the journal the rest: every cursor continues [A.feed.durable]', async () => {
    const random = Random.announced('feed files');
    for (let round = 0; round < 12; round++) {
      directory = join(scratch.path, `round ${rounds}-${round}`);
      nodeDisk.makeDirectory(directory);
      const model: { id: string; cursor: string }[] = [];
      const bodies: EntryBody[] = [];
      /** The journal keeps unsynced entries. */
      let synced = 0;
      for (let life = 0; life < 4; life++) {
        const disk = powerCutDisk(directory);
        const storage = filesOf(disk, { eventsMin: 1e6 });
        const feed = feedOver(storage);
        const kept = storage.last?.seq ?? 0;
        expect(kept, `seed ${random.seed}`).to.be.at.least(synced);
        for (let seq = kept + 1; seq <= bodies.length; seq++) feed.add(idOf(seq), seq, bodies[seq - 1]!);
        for (const [index, { cursor }] of model.entries())
          expect(idsIn(feed, cursor), `seed ${random.seed}`).to.deep.equal(model.slice(index + 1).map(({ id }) => id));
        for (let step = random.integer(1, 12); step > 0; step--) {
          const seq = bodies.length + 1;
          bodies.push(bodyOf(seq, random.integer(0, 4)));
          const last = feed.cursorAt({ seq: seq - 1, id: seq === 1 ? null : idOf(seq - 1) });
          feed.add(idOf(seq), seq, bodies[seq - 1]!);
          for (const { cursor, event } of feed.read(last, query)!.events) model.push({ cursor, id: event.resource.id });
          if (random.integer(0, 3) === 0) await feed.write(turn);
          if (random.integer(0, 5) === 0) {
            await feed.write(turn);
            await feed.sync();
            synced = seq;
          }
        }
        disk.cut({ data: random.pick(['lost', 'half', 'zeros', 'blocks', 'mixed']), names: 'some' }, random);
      }
    }
  });

  it('are bounded: the oldest events go once enough later ones are kept, or they are old [A.feed.bounds, A.feed.expired]', async () => {
    const feed = feedOver(filesOf());
    const first = feed.cursorAt({ seq: 0, id: null });
    for (let seq = 1; seq <= 200; seq++) {
      feed.add(idOf(seq), seq, bodyOf(seq, 1));
      if (seq % 5 === 0) await feed.write(turn);
    }
    const kept = (): number => idsIn(feedOver(filesOf()), undefined)!.length;
    expect(kept()).to.be.within(40, 60);
    expect(feed.read(first, query)).to.equal(undefined);
    expect(idsIn(feed, feed.cursorAt({ seq: 190, id: idOf(190) }))).to.have.length(10);
    clock.advance(2e9);
    for (let seq = 201; seq <= 210; seq++) feed.add(idOf(seq), seq, bodyOf(seq, 1));
    await feed.write(turn);
    for (let seq = 211; seq <= 220; seq++) feed.add(idOf(seq), seq, bodyOf(seq, 1));
    await feed.write(turn);
    expect(kept()).to.be.within(20, 39);
    const names = readdirSync(join(directory, 'prj'));
    const bytes = names.reduce((sum, name) => sum + statSync(join(directory, 'prj', name)).size, 0);
    expect(bytes).to.be.below(names.length * 3000);
  });

  it('are cleared by a gap: only later cursors continue [A.feed.expired]', async () => {
    const feed = feedOver(filesOf());
    for (let seq = 1; seq <= 5; seq++) feed.add(idOf(seq), seq, bodyOf(seq, 1));
    await feed.write(turn);
    const before = feed.cursorAt({ seq: 5, id: idOf(5) });
    feed.add(idOf(6), 6, { ...bodyOf(6, 0), gap: true });
    expect(feed.read(before, query)).to.equal(undefined);
    feed.add(idOf(7), 7, bodyOf(7, 2));
    expect(idsIn(feed, undefined)).to.deep.equal(['7.0', '7.1']);
    await feed.write(turn);
    const reopened = feedOver(filesOf());
    expect(idsIn(reopened, feed.cursorAt({ seq: 6, id: idOf(6) }))).to.deep.equal(['7.0', '7.1']);
    expect(reopened.read(before, query)).to.equal(undefined);
  });

  it('still call the listeners of a project that is loaded again [A.feed.wait]', async () => {
    const log = (message: string): void => expect.fail(message);
    const feeds = new Feeds({ disk: nodeDisk, clock, directory, describe: describeBody, bounds, log });
    let calls = 0;
    feeds.of('prj').onAdded(() => calls++);
    feeds.open('prj', { head: emptyHead, entries: [], isKnown: true, epoch: 0 });
    await nextTurn();
    const before = calls;
    feeds.add({ project: 'prj', after: emptyHead, id: idOf(1), body: bodyOf(1, 1) });
    await nextTurn();
    expect(calls).to.equal(before + 1);
  });
});
