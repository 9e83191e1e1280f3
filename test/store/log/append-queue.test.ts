import { expect } from 'chai';
import { AppendQueue, type Call, type WaitingAppend } from '../../../src/store/hosted/storage/append-queue.ts';
import { emptyHead, type Head } from '../../../src/store/record/log.ts';

const smallBytes = 100;
const largeBytes = 300 * 1024;

describe('Appends that wait for a statement', () => {
  let queue: AppendQueue;
  let ids = 0;
  beforeEach(() => {
    queue = new AppendQueue();
  });

  const append = (
    project: string,
    after: Head = emptyHead,
    bytes: number | 'not encoded' = smallBytes,
  ): WaitingAppend => ({
    ...{ project, after, id: `evt_${++ids}`, body: {} },
    bytes: bytes === 'not encoded' ? undefined : new Uint8Array(bytes),
    ...{ revisionBytes: [], textBytes: [], titleWords: [] },
  });
  const answered = (project: string, id: string): WaitingAppend => ({
    ...append(project),
    beside: { answers: [{ id, kept: '{}' }] },
  });
  const behind = ({ after, id }: WaitingAppend): Head => ({ seq: after.seq + 1, id });
  const add = (...appends: readonly WaitingAppend[]): Call => {
    const call = { appends, resolve: () => undefined };
    queue.add(call);
    return call;
  };
  const takes = (...calls: readonly Call[]): void => {
    expect(queue.take()?.calls ?? []).to.deep.equal(calls);
  };

  it('share it with appends of other projects, and with later entries', () => {
    const a = append('a');
    const calls = [add(a), add(append('b')), add(append('a', behind(a))), add(append('c', { seq: 4, id: 'evt_x' }))];
    takes(...calls);
    expect(queue.isEmpty).to.equal(true);
    takes();
  });

  it('wait while an entry of their project is under way', () => {
    const a = append('a');
    add(a);
    const batch = queue.take()!;
    const [next, last] = [add(append('a', behind(a))), add(append('b'))];
    takes(last);
    takes();
    queue.done(batch);
    takes(next);
  });

  it('wait for the outcome of an entry that does not precede them, with all later ones', () => {
    const [first, other] = [append('a'), append('a')];
    const calls = [add(first), add(other), add(append('a', behind(first)))];
    const batch = queue.take()!;
    expect(batch.calls).to.deep.equal([calls[0]]);
    queue.done(batch);
    takes(calls[1]!);
  });

  it('have a statement of their own if they are appended together', () => {
    const calls = [
      add(append('a')),
      add(append('b'), append('c')),
      add(append('d')),
      add(append('c', { seq: 1, id: 'x' })),
    ];
    takes(calls[0]!, calls[2]!);
    takes(calls[1]!);
    takes();
  });

  it('have a statement of their own if they are large, one of which is under way', () => {
    const calls = [
      add(append('a', emptyHead, largeBytes)),
      add(append('b', emptyHead, 'not encoded')),
      add(append('c')),
    ];
    const batch = queue.take()!;
    expect(batch.calls).to.deep.equal([calls[0]]);
    takes(calls[2]!);
    takes();
    queue.done(batch);
    takes(calls[1]!);
  });

  it('wait if the statement has bytes enough', () => {
    const calls = ['a', 'b', 'c'].map((project) => add(append(project, emptyHead, 100 * 1024)));
    takes(calls[0]!, calls[1]!);
    takes(calls[2]!);
  });

  it('wait for another call with the same answer', () => {
    const calls = [add(answered('a', 'once')), add(answered('b', 'once')), add(answered('c', 'other'))];
    const batch = queue.take()!;
    expect(batch.calls).to.deep.equal([calls[0], calls[2]]);
    takes();
    queue.done(batch);
    takes(calls[1]!);
  });

  it('are removed by their appends', () => {
    const calls = [add(append('a'), append('b')), add(append('c')), add(append('b'))];
    expect(queue.remove(({ project }) => project === 'b')).to.deep.equal([calls[0], calls[2]]);
    takes(calls[1]!);
  });
});
