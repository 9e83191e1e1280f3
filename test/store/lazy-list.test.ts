import { expect } from 'chai';
import { LazyList } from '../../src/store/replica/lazy-list.ts';

interface Item {
  readonly key: number;
}

const items = [3, 1, 2, 5, 4].map((key): Item => ({ key }));
const filled = (): LazyList<Item> => {
  const list = new LazyList<Item>((a, b) => a.key - b.key);
  for (const item of items) list.add(item);
  return list;
};
const keys = (list: Iterable<Item>): number[] => [...list].map(({ key }) => key);

describe('LazyList', () => {
  it('returns its items in order, also from a position', () => {
    expect(keys(filled().values())).to.deep.equal([1, 2, 3, 4, 5]);
    expect(keys(filled().values({ key: 3 }))).to.deep.equal([4, 5]);
  });

  it('forgets removed items, before the first ordered read and after it', () => {
    const list = filled();
    list.delete(items[0] as Item);
    expect(list.size).to.equal(4);
    expect(keys(list.values())).to.deep.equal([1, 2, 4, 5]);
    list.delete(items[3] as Item);
    expect(list.size).to.equal(3);
    expect(keys(list.values())).to.deep.equal([1, 2, 4]);
  });

  it('inserts items at their positions after it was read', () => {
    const list = filled();
    expect(list.size).to.equal(5);
    expect(keys(list.values())[0]).to.equal(1);
    list.add({ key: 0 });
    list.add({ key: 2.5 });
    expect(list.size).to.equal(7);
    expect(keys(list.values())).to.deep.equal([0, 1, 2, 2.5, 3, 4, 5]);
  });
});
