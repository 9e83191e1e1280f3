import { expect } from 'chai';
import { Roster } from '../src/platform/roster.ts';
import { Random } from './support/random.ts';

describe('A roster', () => {
  it('has the members of a set, whatever is added and deleted in which order', () => {
    const random = Random.announced('roster');
    const things = Array.from({ length: 20 }, (_, number) => ({ number }));
    const roster = new Roster<{ number: number }>();
    const set = new Set<{ number: number }>();
    for (let round = 0; round < 2000; round++) {
      const thing = random.pick(things);
      const method = random.chance(0.5) ? 'add' : 'delete';
      roster[method](thing);
      set[method](thing);
      expect(roster.size).to.equal(set.size);
    }
    const numbers = (members: Iterable<{ number: number }>): number[] =>
      [...members].map(({ number }) => number).sort((a, b) => a - b);
    expect(numbers(roster)).to.deep.equal(numbers(set));
    roster.clear();
    expect([...roster]).to.deep.equal([]);
    roster.add(things[3]!);
    expect([...roster]).to.deep.equal([things[3]]);
  });

  it('leaves an object alone that is a member of another one', () => {
    const [one, other] = [new Roster(), new Roster()];
    const [thing, another] = [{}, {}];
    one.add(thing);
    other.add(another);
    other.delete(thing);
    expect([...one]).to.deep.equal([thing]);
    expect([...other]).to.deep.equal([another]);
  });
});
