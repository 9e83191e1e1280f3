import { expect } from 'chai';
import { FairQueue } from '../src/platform/fair-queue.ts';

describe('A queue of several sources [A.hostile.rendering]', () => {
  it('serves them in turn, and has space again after an item was taken', () => {
    const queue = new FairQueue<string>(4);
    const added = ['a1', 'a2', 'a3', 'b1', 'c1'].map((item) => queue.add(item[0]!, item));
    expect(added).to.deep.equal([true, true, true, true, false]);
    expect([queue.take(), queue.add('c', 'c1'), queue.add('c', 'c2')]).to.deep.equal(['a1', true, false]);
    expect([1, 2, 3, 4, 5].map(() => queue.take())).to.deep.equal(['b1', 'a2', 'c1', 'a3', undefined]);
  });

  it('returns everything together, and starts again', () => {
    const queue = new FairQueue<string>(3);
    for (const item of ['a1', 'b1', 'a2']) queue.add(item[0]!, item);
    expect(queue.clear()).to.deep.equal(['a1', 'a2', 'b1']);
    expect(queue.clear()).to.deep.equal([]);
    expect(['d1', 'd2', 'd3', 'd4'].map((item) => queue.add('d', item))).to.deep.equal([true, true, true, false]);
  });
});
