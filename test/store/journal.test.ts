import { expect } from 'chai';
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { frame } from '../../src/store/files/journal/journal-format.ts';
import { Journal, JournalCorruptError } from '../../src/store/files/journal/journal.ts';
import type { Appended } from '../../src/store/record/log.ts';
import type { OpenedJournal } from '../../src/store/files/journal/journal.ts';
import { faultyDisk, Stopped } from '../support/faulty-disk.ts';
import type { Fault } from '../support/faulty-disk.ts';
import { Random, roundsOf } from '../support/random.ts';
import { scratchDirectory } from '../support/scratch.ts';

interface Made {
  readonly id: string;
  readonly prevId: string | null;
  readonly body: unknown;
}

describe('Journal', () => {
  const scratch = scratchDirectory();
  const directory = (): string => join(scratch.path, 'journal');
  const open = (disk = nodeDisk, segmentBytes?: number): OpenedJournal =>
    Journal.open({ disk, directory: directory(), ...(segmentBytes === undefined ? {} : { segmentBytes }) });
  const segment = (number: number): string => join(directory(), `${String(number).padStart(8, '0')}.log`);

  type Outcome = Appended['is'];

  /** Appends after the entry with this seq and the id `prevId`. */
  async function append(journal: Journal, project: string, seq: number, { id, prevId, body }: Made): Promise<Outcome> {
    return (await journal.append({ project, after: { seq, id: prevId }, id, body })).is;
  }

  /** Appends entries `from + 1` to `to` of a project, one after the other. */
  async function fill(journal: Journal, project: string, from: number, to: number): Promise<Outcome[]> {
    const results: Outcome[] = [];
    for (let seq = from; seq < to; seq++) results.push(await append(journal, project, seq, entry(seq + 1)));
    return results;
  }

  function entry(number: number): Made {
    return {
      id: `e${number}`,
      prevId: number > 1 ? `e${number - 1}` : null,
      body: { text: `Größe\n${number}`, number },
    };
  }

  const seqs = (opened: OpenedJournal): number[] => opened.entries.map(({ seq }) => seq);

  it('returns after reopening the acknowledged entries, in order, and continues after it', async () => {
    const first = open();
    expect(await fill(first.journal, 'a', 0, 3)).to.deep.equal(['ok', 'ok', 'ok']);
    expect(await append(first.journal, 'b', 0, { id: 'x', prevId: null, body: null })).to.equal('ok');
    await first.journal.close();

    const second = open();
    expect(second.problems).to.deep.equal([]);
    expect(second.entries.map(({ project, seq, position }) => [project, seq, position])).to.deep.equal([
      ['a', 1, 1],
      ['a', 2, 2],
      ['a', 3, 3],
      ['b', 1, 4],
    ]);
    expect(second.entries[1]).to.deep.include({ id: 'e2', prevId: 'e1', body: { text: 'Größe\n2', number: 2 } });
    expect(await fill(second.journal, 'a', 3, 5)).to.deep.equal(['ok', 'ok']);
    expect(second.journal.read('a', 2).map(({ seq }) => seq)).to.deep.equal([3, 4, 5]);
    await second.journal.close();
  });

  it('returns conflict for another expected seq than the last one, including appends in progress', async () => {
    const { journal } = open();
    const [first, same, next] = await Promise.all([
      append(journal, 'a', 0, entry(1)),
      append(journal, 'a', 0, entry(1)),
      append(journal, 'a', 1, entry(2)),
    ]);
    expect([first, same, next]).to.deep.equal(['ok', 'conflict', 'ok']);
    expect(await append(journal, 'a', 5, entry(6))).to.equal('conflict');
    expect(journal.headOf('a')).to.deep.equal({ seq: 2, id: 'e2' });
    await journal.close();
    expect(seqs(open())).to.deep.equal([1, 2]);
  });

  it('lets concurrent appends share writes and acknowledges them in order [A.write.group]', async () => {
    const disk = faultyDisk();
    const { journal } = open(disk);
    const before = disk.counts.get('writeAsync') ?? 0;
    const order: number[] = [];
    const appended = Array.from({ length: 500 }, (_, index) =>
      append(journal, 'a', index, entry(index + 1)).then((result) => {
        expect(result).to.equal('ok');
        order.push(index);
      }),
    );
    await Promise.all(appended);
    expect(order).to.deep.equal(Array.from({ length: 500 }, (_, index) => index));
    expect((disk.counts.get('writeAsync') ?? 0) - before).to.be.lessThan(5);
    await journal.close();
  });

  it('writes marks with the next entry, and without one when flushed', async () => {
    const { journal } = open();
    const mark = (seq: number): { project: string; path: string; seq: number; sha256: string } => ({
      project: 'a',
      path: 'tasks/x.md',
      seq,
      sha256: 'f'.repeat(64),
    });
    journal.appendMarks([mark(1)]);
    await append(journal, 'a', 0, entry(1));
    journal.appendMarks([mark(2), { ...mark(3), sha256: null }]);
    expect((await journal.flush()).is).to.equal('ok');
    await journal.close();
    const { marks } = open();
    expect(marks.map(({ seq, sha256 }) => [seq, sha256 === null])).to.deep.equal([
      [1, false],
      [2, false],
      [3, true],
    ]);
  });

  describe('after a crash', () => {
    it('drops a torn last entry whichever byte it ends at, and nothing before it [A.open.torn]', async () => {
      const { journal } = open();
      await fill(journal, 'a', 0, 2);
      const whole = journal.bytes;
      await fill(journal, 'a', 2, 3);
      await journal.close();
      const bytes = readFileSync(segment(1));
      // The line that begins a write is whole on its own: a cut right after it leaves nothing torn.
      const begun = bytes.indexOf('\n', whole) + 1;
      for (let end = whole; end < bytes.length; end++) {
        writeFileSync(segment(1), bytes.subarray(0, end));
        const opened = open();
        expect(seqs(opened), `cut at ${end}`).to.deep.equal([1, 2]);
        expect(opened.problems).to.have.lengthOf(end === whole || end === begun ? 0 : 1);
        expect(readFileSync(segment(1)).length).to.equal(end < begun ? whole : begun);
        await opened.journal.close();
      }
    });

    it('drops a last entry with a changed byte, and one that reached the disk as zeros', async () => {
      const { journal } = open();
      await fill(journal, 'a', 0, 1);
      const whole = journal.bytes;
      await fill(journal, 'a', 1, 2);
      await journal.close();
      const bytes = readFileSync(segment(1));
      const flipped = Buffer.from(bytes);
      flipped[whole + 20]! ^= 1;
      for (const damaged of [flipped, Buffer.concat([bytes.subarray(0, whole), Buffer.alloc(700)])]) {
        writeFileSync(segment(1), damaged);
        const opened = open();
        expect(seqs(opened)).to.deep.equal([1]);
        if (damaged === flipped) expect(opened.problems[0]).to.include({ path: segment(1), line: 4 });
        else expect(opened.problems).to.deep.equal([]);
        expect(await fill(opened.journal, 'a', 1, 3)).to.deep.equal(['ok', 'ok']);
        await opened.journal.close();
        expect(seqs(open())).to.deep.equal([1, 2, 3]);
      }
    });

    it('ignores a segment that was being created', async () => {
      const { journal } = open();
      await fill(journal, 'a', 0, 2);
      await journal.close();
      for (const begun of ['', '3a0b', frame({ journal: 1, seqs: { a: 2 } }).slice(0, -1)]) {
        writeFileSync(segment(2), begun);
        const opened = open();
        expect(seqs(opened)).to.deep.equal([1, 2]);
        expect(readdirSync(directory())).to.deep.equal(['00000001.log']);
        await opened.journal.close();
      }
    });
  });

  describe('with damage that a crash cannot cause', () => {
    async function segments(): Promise<void> {
      const { journal } = open(nodeDisk, 300);
      await fill(journal, 'a', 0, 12);
      await journal.close();
      expect(readdirSync(directory()).length).to.be.greaterThan(2);
    }

    function refuses(path: string, line: number): void {
      const before = readdirSync(directory()).map((name) => readFileSync(join(directory(), name), 'latin1'));
      let thrown: unknown;
      try {
        open();
      } catch (error) {
        thrown = error;
      }
      expect(thrown).to.be.instanceOf(JournalCorruptError);
      expect(thrown).to.include({ path, line });
      expect((thrown as Error).message)
        .to.contain(path)
        .and.contain(`line ${line}`)
        .and.contain('Nothing was changed');
      const after = readdirSync(directory()).map((name) => readFileSync(join(directory(), name), 'latin1'));
      expect(after).to.deep.equal(before);
    }

    it('names path and line of an invalid entry with valid ones after it, and changes nothing [A.open.corrupt]', async () => {
      const { journal } = open();
      await fill(journal, 'a', 0, 5);
      await journal.close();
      const lines = readFileSync(segment(1), 'utf8').split('\n');
      const second = lines.findIndex((line) => line.includes('"id":"e2"'));
      writeFileSync(
        segment(1),
        lines.map((line, index) => (index === second ? line.replace('e2', 'e9') : line)).join('\n'),
      );
      refuses(segment(1), second + 1);
    });

    it('accepts a torn end only in the last segment', async () => {
      await segments();
      const size = readFileSync(segment(1)).length;
      truncateSync(segment(1), size - 1);
      refuses(segment(1), readFileSync(segment(1), 'utf8').split('\n').length);
    });

    it('detects a missing segment', async () => {
      await segments();
      nodeDisk.remove(segment(2));
      refuses(segment(3), 1);
    });

    it('detects an entry that does not follow the one before it', async () => {
      const { journal } = open();
      await fill(journal, 'a', 0, 1);
      await journal.close();
      appendFileSync(segment(1), frame({ project: 'a', seq: 3, id: 'e3', prevId: 'e2', body: {} }));
      refuses(segment(1), 4);
    });

    it('rejects an unknown format', () => {
      mkdirSync(directory());
      writeFileSync(segment(1), frame({ journal: 2, seqs: {} }));
      refuses(segment(1), 1);
    });
  });

  describe('on a failing disk', () => {
    const faults: readonly Omit<Fault, 'at'>[] = [
      { kind: 'error', code: 'EIO' } as never,
      { kind: 'short' } as never,
      { kind: 'stop', torn: 'half' } as never,
    ];

    /** Every so many calls, from anywhere on: the long run of test/crash lets many more of them fail. */
    const stride = roundsOf(3);
    const random = Random.announced('journal');

    it('loses nothing acknowledged whichever call fails, refuses from then on, and can be opened again', async () => {
      for (const fault of faults) {
        let fired = true;
        for (let at = random.integer(1, stride); fired; at += stride) {
          nodeDisk.removeTree(directory());
          const { journal } = open(nodeDisk, 400);
          await fill(journal, 'a', 0, 1);
          await journal.close();

          const disk = faultyDisk({ fault: { ...fault, at } as Fault });
          const acknowledged = await appendUntilFailure(disk, 9);
          fired = disk.fired;
          disk.closeAll();
          const again = open();
          const kept = seqs(again);
          expect(kept, `${fault.kind} at ${at}`).to.deep.equal(Array.from(kept, (_, index) => index + 1));
          expect(kept.length, `${fault.kind} at ${at}`).to.be.at.least(acknowledged);
          expect(await fill(again.journal, 'a', kept.length, kept.length + 1)).to.deep.equal(['ok']);
          await again.journal.close();
        }
      }
    });

    /** The last seq that was acknowledged; checks that no `ok` comes after a refusal. */
    async function appendUntilFailure(disk: ReturnType<typeof faultyDisk>, to: number): Promise<number> {
      try {
        const { journal } = open(disk, 400);
        const results = await fill(journal, 'a', 1, to);
        const oks = results.lastIndexOf('ok') + 1;
        expect(results.slice(0, oks).every((result) => result === 'ok')).to.equal(true);
        expect(results.slice(oks).every((result) => result === 'refused' || result === 'conflict')).to.equal(true);
        expect(journal.failed === undefined).to.equal(oks === results.length);
        await journal.close();
        return 1 + oks;
      } catch (error) {
        expect((error as Error) instanceof Stopped || 'code' in (error as Error)).to.equal(true);
        return 1;
      }
    }

    it('refuses everything queued after a failed write, and does not access the disk again', async () => {
      const disk = faultyDisk();
      const { journal } = open(disk);
      await fill(journal, 'a', 0, 1);
      const size = journal.bytes;
      disk.arm({ at: 1, kind: 'short' });
      const results = await Promise.all([1, 2, 3].map((seq) => append(journal, 'a', seq, entry(seq + 1))));
      expect(results).to.deep.equal(['refused', 'refused', 'refused']);
      expect(journal.failed).to.have.property('code', 'ENOSPC');
      expect(readFileSync(segment(1)).length, 'cut back to what is durable').to.equal(size);
      const calls = disk.calls;
      expect(await append(journal, 'b', 0, entry(1))).to.equal('refused');
      expect((await journal.flush()).is).to.equal('refused');
      expect(disk.calls).to.equal(calls);
      await journal.close();
      expect(seqs(open())).to.deep.equal([1]);
    });
  });

  describe('segments', () => {
    it('rotate at their maximum size, and are removed from the front once their entries are no longer needed', async () => {
      const { journal } = open(nodeDisk, 300);
      await fill(journal, 'a', 0, 10);
      const before = journal.segments();
      expect(before.length).to.be.greaterThan(3);
      expect(journal.bytes).to.equal(
        readdirSync(directory()).reduce(
          (sum, name) => sum + readFileSync(join(directory(), name), 'latin1').replace(/\0+$/, '').length,
          0,
        ),
      );
      const second = before[1]!;
      expect(journal.truncateBefore(second.last)).to.equal(1);
      expect(journal.truncateBefore(second.last + 1)).to.equal(1);
      expect(readdirSync(directory())[0]).to.equal('00000003.log');
      expect(journal.read('a', 0)[0]?.seq).to.equal(second.last + 1);
      await journal.close();
      expect(seqs(open())[0]).to.equal(second.last + 1);
    });

    it('can all be truncated by rotating, and seqs continue over restarts', async () => {
      const first = open();
      await fill(first.journal, 'a', 0, 4);
      await fill(first.journal, 'b', 0, 1);
      await first.journal.rotate();
      expect(first.journal.truncateBefore(first.journal.position + 1)).to.equal(1);
      await first.journal.rotate();
      expect(readdirSync(directory()), 'an empty segment is not rotated').to.deep.equal(['00000002.log']);
      await first.journal.close();

      const second = open();
      expect(second.entries).to.deep.equal([]);
      expect([second.journal.headOf('a').seq, second.journal.headOf('b').seq]).to.deep.equal([4, 1]);
      expect(await append(second.journal, 'a', 0, entry(1))).to.equal('conflict');
      expect(await fill(second.journal, 'a', 4, 5)).to.deep.equal(['ok']);
      await second.journal.close();
    });

    it('can be removed after an entry that is still needed was carried forward, which is read once', async () => {
      const { journal } = open();
      await fill(journal, 'a', 0, 4);
      const needed = journal.read('a', 1)[0]!;
      await journal.rotate();
      await fill(journal, 'a', 4, 5);
      expect((await journal.carry(needed)).is).to.equal('ok');
      copyFileSync(segment(1), join(scratch.path, 'kept'));
      expect(journal.truncateBefore(5)).to.equal(1);
      await journal.close();

      const carried = open();
      expect(seqs(carried)).to.deep.equal([2, 5]);
      expect(carried.entries[0]).to.deep.include({ project: 'a', id: 'e2', body: entry(2).body });
      await carried.journal.close();

      // A crash between carrying and retiring leaves both copies.
      copyFileSync(join(scratch.path, 'kept'), segment(1));
      const both = open();
      expect(seqs(both)).to.deep.equal([1, 2, 3, 4, 5]);
      await both.journal.close();
    });
  });

  it('makes everything durable when it is closed and accepts nothing afterwards', async () => {
    const { journal } = open();
    const under = append(journal, 'a', 0, entry(1));
    await journal.close();
    expect(await under).to.equal('ok');
    expect(await append(journal, 'a', 1, entry(2))).to.equal('refused');
    expect(seqs(open())).to.deep.equal([1]);
  });
});
