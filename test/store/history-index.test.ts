import { expect } from 'chai';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeDisk } from '../../src/store/files/disk/disk.ts';
import { HistoryIndex } from '../../src/store/files/project/history.ts';
import { scratchDirectory } from '../support/scratch.ts';

const revision = {
  ...{ at: '2026-01-01T00:00:00.000Z', id: 'rev_1', target: 'tsk_1', target_type: 'task' },
  ...{ author: 'human:test', fields: ['status'], before: { status: 'todo' }, after: '0' },
};

describe('The history of a project', () => {
  const scratch = scratchDirectory();

  it('needs the journal from a revision until its line is written, also while it is being written [A.write.bounded]', () => {
    const history = new HistoryIndex(nodeDisk);
    history.add(revision, false, 5);
    const taken = history.takeWaiting(5, 10);
    expect(history.oldestNeeded(9)).to.equal(5);
    history.putBack(taken);
    expect(history.oldestNeeded(9)).to.equal(5);
    history.takeWaiting(5, 10);
    history.markWritten(revision.id, { file: '/nowhere', offset: 0, length: 1 });
    expect(history.oldestNeeded(9)).to.equal(9);
  });

  it('is incomplete while a revision that no journal contains is not written', () => {
    const history = new HistoryIndex(nodeDisk);
    history.add(revision, true, undefined);
    expect(history.isBehind).to.equal(true);
    history.takeWaiting(0, 10);
    expect(history.isBehind).to.equal(true);
    history.markWritten(revision.id, { file: '/nowhere', offset: 0, length: 1 });
    expect(history.isBehind).to.equal(false);
  });

  it('says who changed which fields when, without reading a file [A.loop.turns]', () => {
    const file = join(scratch.path, 'read-once.jsonl');
    const others = [
      { ...revision, id: 'rev_2', fields: ['label', 'status'], session: 'tab-1' },
      { ...revision, id: 'rev_3', target: 'tsk_2' },
    ];
    writeFileSync(file, [revision, ...others].map((one) => `${JSON.stringify(one)}\n`).join(''));
    const history = new HistoryIndex(nodeDisk);
    history.addSegment(file);
    rmSync(file);
    const summaries = [revision, ...others].map(({ before: _, after: __, ...summary }) => summary);
    expect([...history.summaries({})]).to.deep.equal(summaries.toReversed());
    expect([...history.summaries({ target: 'tsk_2' })]).to.deep.equal([summaries[2]]);
    expect([...history.summaries({ author: 'agent' })]).to.deep.equal([]);
  });

  it('streams a revision that is written while others are read', async () => {
    const file = join(scratch.path, 'segment.jsonl');
    writeFileSync(file, `${JSON.stringify(revision)}\n`);
    const history = new HistoryIndex(nodeDisk);
    history.addSegment(file);
    const other = { ...revision, id: 'rev_2' };
    history.add(other, false, 1);
    const streamed = history.streamed();
    const first = streamed.next();
    history.takeWaiting(1, 10);
    history.markWritten(other.id, { file, offset: 0, length: JSON.stringify(revision).length });
    expect((await first).value).to.deep.equal([other, revision]);
  });
});
