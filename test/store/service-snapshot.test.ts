import { expect } from 'chai';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { RootLayout } from '../../src/store/files/disk/root-layout.ts';
import { ServiceRecords } from '../../src/store/replica/service-records.ts';
import type { ServiceCollectionSpec } from '../../src/store/replica/service-records.ts';
import { ServiceSnapshot } from '../../src/store/files/root/service-snapshot.ts';
import type { StoredRecord } from '../../src/store/record/record.ts';
import { faultyDisk } from '../support/faulty-disk.ts';
import type { Fault } from '../support/faulty-disk.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { Random } from '../support/random.ts';
import { scratchDirectory } from '../support/scratch.ts';

interface Kept extends StoredRecord {
  readonly owner: string;
  readonly text: string | null;
}

const bounds = { recordsPerOwnerMax: 4, recordsMax: 8, recordBytesMax: 100, bytesPerOwnerMax: 200, bytesMax: 300 };
const bounded: ServiceCollectionSpec = {
  name: 'bounded',
  placement: 'service',
  retention: {
    owner: (record) => (record as Kept).owner,
    weight: (record) => (record as Kept).text?.length ?? 0,
    shed: (record) => ({ ...record, text: null }) as Kept,
    ...bounds,
  },
};

describe('The records of the service itself', () => {
  const scratch = scratchDirectory();
  const clock = new ManualClock(Date.parse('2030-01-01T00:00:00Z'));

  beforeEach(() => mkdirSync(join(scratch.path, 'local', 'tmp'), { recursive: true }));

  function open(disk = nodeDisk): {
    records: ServiceRecords;
    snapshot: ServiceSnapshot;
    write: () => Promise<boolean>;
  } {
    const records = new ServiceRecords([{ name: 'plain', placement: 'service' }, bounded]);
    const snapshot = new ServiceSnapshot(disk, new RootLayout(scratch.path), records, clock);
    snapshot.read();
    return { records, snapshot, write: () => snapshot.write(() => Promise.resolve(true)) };
  }

  const stamp = new Date(clock.now()).toISOString();
  const put = (records: ServiceRecords, collection: string, record: Partial<Kept> & { readonly id: string }): void =>
    records.apply({
      collection,
      id: record.id,
      from: records.get(collection, record.id),
      to: { created_at: stamp, updated_at: stamp, ...record },
    });
  const keep = (records: ServiceRecords, id: string, owner: string, length = 0): void =>
    put(records, 'bounded', { id, owner, text: length === 0 ? null : 'x'.repeat(length) });
  const shown = (records: ServiceRecords): string[] =>
    [...records.list<Kept>('bounded')].map(({ id, text }) => `${id}:${text?.length ?? 0}`).sort();

  it('drop the content of the oldest first and then evict the oldest, only of the owner that is over its limit [A.hostile.repeats]', () => {
    const { records } = open();
    keep(records, 'b1', 'b', 90);
    for (const at of [1, 2, 3]) keep(records, `a${at}`, 'a', 90);
    expect(shown(records)).to.deep.equal(['a1:0', 'a2:90', 'a3:90', 'b1:90']);
    for (const at of [4, 5, 6]) keep(records, `a${at}`, 'a', 10);
    expect(shown(records)).to.deep.equal(['a3:90', 'a4:10', 'a5:10', 'a6:10', 'b1:90']);
    keep(records, 'a7', 'a', 101);
    expect(shown(records), 'too large by itself').to.deep.equal(['a4:10', 'a5:10', 'a6:10', 'a7:0', 'b1:90']);
  });

  it('are evicted from the owner with the most, once there are too many in total [A.hostile.repeats]', () => {
    const { records } = open();
    for (const at of [1, 2, 3, 4]) keep(records, `a${at}`, 'a', 50);
    keep(records, 'b1', 'b', 90);
    for (const owner of ['c', 'd', 'e']) keep(records, `${owner}1`, owner, 10);
    expect(shown(records), 'bytes').to.deep.equal([
      'a1:0',
      'a2:50',
      'a3:50',
      'a4:50',
      'b1:90',
      'c1:10',
      'd1:10',
      'e1:10',
    ]);
    keep(records, 'f1', 'f');
    expect(shown(records).map((one) => one.slice(0, 2))).to.deep.equal([
      'a2',
      'a3',
      'a4',
      'b1',
      'c1',
      'd1',
      'e1',
      'f1',
    ]);
  });

  it('are counted correctly whatever is put, replaced, removed and dropped [A.hostile.repeats]', () => {
    const { records } = open();
    for (let round = 0; round < 5000; round++) {
      keep(records, `id${(round * 7919) % 23}`, `owner${(round * 31) % 5}`, (round * 13) % 120);
      if (round % 3 === 0) {
        const id = `id${(round * 17) % 23}`;
        records.apply({ collection: 'bounded', id, from: records.get('bounded', id), to: undefined });
      }
      const byOwner = Map.groupBy(records.list<Kept>('bounded'), ({ owner }) => owner);
      const weightOf = (all: readonly Kept[]): number => all.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
      const all = [...byOwner.values()];
      expect(Math.max(0, ...all.map((some) => some.length))).to.be.at.most(bounds.recordsPerOwnerMax);
      expect(Math.max(0, ...all.map(weightOf))).to.be.at.most(bounds.bytesPerOwnerMax);
      expect(all.flat().length).to.be.at.most(bounds.recordsMax);
      expect(weightOf(all.flat())).to.be.at.most(bounds.bytesMax);
    }
    // Records within the bounds are not evicted: the counts have not drifted.
    for (const { id } of [...records.list('bounded')])
      records.apply({ collection: 'bounded', id, from: undefined, to: undefined });
    for (const at of [1, 2, 3, 4]) keep(records, `z${at}`, 'z', 50);
    expect(shown(records)).to.deep.equal(['z1:50', 'z2:50', 'z3:50', 'z4:50']);
  });

  describe('are written', () => {
    const changesDirectory = (): string => join(scratch.path, 'local', 'service-changes');
    const large = 3000;
    const fill = (records: ServiceRecords): void => {
      for (let at = 0; at < large; at++) put(records, 'plain', { id: `p${at}`, text: 'x'.repeat(500) });
    };
    const texts = (records: ServiceRecords): Map<string, string> =>
      new Map([...records.list<Kept>('plain')].map(({ id, text }) => [id, text!]));

    it('incrementally, and read back with removals [A.hostile.repeats]', async () => {
      const { records, write } = open();
      fill(records);
      await write();
      const whole = statSync(join(scratch.path, 'local', 'service'));
      for (const at of [1, 2, 3]) {
        put(records, 'plain', { id: `p${at}`, text: `changed ${at}` });
        records.apply({
          collection: 'plain',
          id: `p${at + 10}`,
          from: records.get('plain', `p${at + 10}`),
          to: undefined,
        });
        await write();
      }
      expect(statSync(join(scratch.path, 'local', 'service')).ino, 'not written again').to.equal(whole.ino);
      const written = readdirSync(changesDirectory()).map((name) => statSync(join(changesDirectory(), name)));
      expect(written).to.have.length(3);
      for (const { size, mode } of written) expect([size < 1000, mode & 0o077]).to.deep.equal([true, 0]);
      expect(texts(open().records)).to.deep.equal(texts(records));
      const reopened = open();
      expect(reopened.snapshot.stale).to.equal(false);
      put(reopened.records, 'plain', { id: 'p5', text: 'later' });
      await reopened.write();
      expect(texts(open().records).get('p5')).to.equal('later');
    });

    it('as a whole once the deltas have half their size, which removes the deltas [A.hostile.repeats]', async () => {
      const { records, write } = open();
      fill(records);
      await write();
      for (let round = 0; round < 8; round++) {
        for (let at = 0; at < 500; at++) put(records, 'plain', { id: `p${at}`, text: `${round}`.repeat(500) });
        await write();
        expect(texts(open().records), `round ${round}`).to.deep.equal(texts(records));
      }
      expect(readdirSync(changesDirectory()).length).to.be.below(5);
    });

    it('and never read from deltas of another snapshot [A.hostile.repeats]', async () => {
      const { records, write } = open();
      fill(records);
      await write();
      put(records, 'plain', { id: 'p1', text: 'changed' });
      await write();
      const [name] = readdirSync(changesDirectory());
      writeFileSync(join(changesDirectory(), `other-${name!.split('-')[1]!}`), 'of another life');
      expect(texts(open().records).get('p1')).to.equal('changed');
      const other = open();
      other.snapshot.invalidate();
      put(other.records, 'plain', { id: 'p1', text: 'whole' });
      await other.write();
      expect(readdirSync(changesDirectory())).to.deep.equal([]);
      expect(texts(open().records).get('p1')).to.equal('whole');
    });

    for (const how of ['changes', 'whole'] as const)
      it(`as ${how}, so that the next write is complete, whichever call of the disk fails [A.hostile.repeats]`, async () => {
        // A write of all takes as many calls as there are pieces: every third of them fails.
        const stride = how === 'whole' ? 3 : 1;
        const random = Random.announced(`snapshots as ${how}`);
        const first = open();
        fill(first.records);
        await first.write();
        let former = 'x'.repeat(500);
        for (const kind of ['error', 'late', 'stop'] as const) {
          for (let at = random.integer(1, stride), fired = true; fired; at += stride) {
            const fault = { at, kind, ...(kind === 'error' ? { code: 'EIO' } : {}) } as Fault;
            const disk = faultyDisk();
            const { records, snapshot, write } = open(disk);
            if (how === 'whole') snapshot.invalidate();
            disk.arm(fault);
            const text = `${kind} ${at}`;
            put(records, 'plain', { id: 'p1', text });
            const attempt = (): Promise<boolean> => write().catch(() => false);
            const isWritten = await attempt();
            // The journal still has the change, and each tick tries again.
            if (!isWritten && kind !== 'stop') for (let tries = 0; !(await attempt()) && tries < 5; tries++);
            fired = disk.fired;
            disk.closeAll();
            const read = texts(open().records);
            expect(read.size, text).to.equal(large);
            expect(!isWritten && kind === 'stop' ? [former, text] : [text], text).to.include(read.get('p1'));
            former = read.get('p1')!;
          }
        }
      });
  });
});
