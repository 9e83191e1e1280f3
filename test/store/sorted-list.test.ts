import { expect } from 'chai';
import { SortedList } from '../../src/store/record/sorted-list.ts';
import { Random } from '../support/random.ts';

const byNumber = (a: number, b: number): number => a - b;

describe('SortedList', () => {
  it('is empty at first', () => {
    const list = new SortedList(byNumber);
    expect([...list]).to.deep.equal([]);
    expect(list.size).to.equal(0);
    expect(list.first()).to.equal(undefined);
    expect(list.delete(1)).to.equal(false);
    expect(list.has(1)).to.equal(false);
    expect(list.rank(1)).to.equal(0);
    expect([...list.values(3)]).to.deep.equal([]);
  });

  it('keeps items in order and equal items once', () => {
    const list = new SortedList(byNumber);
    for (const item of [5, 1, 3, 1, 4]) list.add(item);
    expect([...list]).to.deep.equal([1, 3, 4, 5]);
    expect(list.add(2)).to.equal(true);
    expect(list.add(2)).to.equal(false);
    expect(list.size).to.equal(5);
  });

  it('replaces the item that compares as equal', () => {
    const list = new SortedList<{ key: number; text: string }>((a, b) => a.key - b.key);
    list.add({ key: 1, text: 'old' });
    list.add({ key: 1, text: 'new' });
    expect([...list].map(({ text }) => text)).to.deep.equal(['new']);
  });

  it('starts after a position, with or without an item', () => {
    const list = SortedList.from([10, 20, 30], byNumber);
    expect([...list.values(20)]).to.deep.equal([30]);
    expect([...list.values(15)]).to.deep.equal([20, 30]);
    expect([...list.values(5)]).to.deep.equal([10, 20, 30]);
    expect([...list.values(30)]).to.deep.equal([]);
    expect([5, 10, 15, 35, undefined].map((item) => list.before(item))).to.deep.equal([
      undefined,
      undefined,
      10,
      30,
      30,
    ]);
  });

  it('continues after the last returned item when it is changed during an iteration', () => {
    const list = SortedList.from(
      Array.from({ length: 2000 }, (_, i) => i),
      byNumber,
    );
    const seen: number[] = [];
    for (const item of list) {
      seen.push(item);
      list.delete(item);
      list.delete(item + 1);
    }
    expect(seen).to.deep.equal(Array.from({ length: 1000 }, (_, i) => 2 * i));
    expect(list.size).to.equal(0);
  });

  it('equals a sorted array over thousands of random changes', () => {
    const seed = 20_240_607;
    const random = new Random(seed);
    const list = new SortedList(byNumber);
    const model = new Set<number>();
    for (let step = 0; step < 12_000; step++) {
      const item = random.integer(0, 3999);
      const adding = step < 6000 ? random.chance(0.75) : random.chance(0.25);
      if (adding) expect(list.add(item), `seed ${seed} step ${step}`).to.equal(!model.has(item));
      else expect(list.delete(item), `seed ${seed} step ${step}`).to.equal(model.has(item));
      if (adding) model.add(item);
      else model.delete(item);
      if (step % 997 !== 0) continue;
      const sorted = [...model].sort(byNumber);
      expect([...list], `seed ${seed} step ${step}`).to.deep.equal(sorted);
      expect(list.size).to.equal(sorted.length);
      const position = random.integer(0, 3999);
      expect([...list.values(position)]).to.deep.equal(sorted.filter((one) => one > position));
      expect(list.rank(position)).to.equal(sorted.filter((one) => one < position).length);
      expect(list.has(position)).to.equal(model.has(position));
    }
  });
});
