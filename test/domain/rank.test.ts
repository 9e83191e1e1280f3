import { expect } from 'chai';
import { rankOfAge } from '../../src/base/rank-of-age.ts';
import { rankDigitsMax, ranksBetween } from '../../src/domain/graph/rank.ts';
import { Random } from '../support/random.ts';

const digits = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const rank = /^[-0-9A-Z_a-z]*[0-9A-Z_a-z]$/;

/** A rank as a person or an earlier move may have left it. */
function randomRank(random: Random): string {
  const length = random.integer(0, 5);
  const text = Array.from({ length }, () => random.pick([...digits])).join('');
  const age = rankOfAge({ created_at: new Date(random.integer(0, 2 ** 31) * 1000).toISOString(), id: 'tsk_1' });
  return random.pick([`${text}${random.pick([...digits.slice(1)])}`, age, `${age}${text}V`]);
}

describe('Ranks between two others', () => {
  it('are in order, have valid digits, and at most as many as asked for [A.rank.bounded]', () => {
    const random = Random.announced('Ranks');
    for (let round = 0; round < 400; round++) {
      const [one, other] = [randomRank(random), randomRank(random)].toSorted((a, b) => (a < b ? -1 : 1));
      if (one === other) continue;
      const open = random.pick(['before', 'after', 'none']);
      const [before, after] = [open === 'before' ? undefined : one, open === 'after' ? undefined : other];
      const found = ranksBetween(before, after, random.integer(1, 70));
      expect(found, `${before} … ${after}`).not.to.equal(undefined);
      const all = [before ?? '', ...found!, after ?? '~'];
      const isRight = (each: string, at: number): boolean =>
        rank.test(each) && each.length <= rankDigitsMax && all[at]! < each && each < all[at + 2]!;
      expect(found!.every(isRight), all.join(' < ')).to.equal(true);
    }
  });

  it('stay short at the ends of the order, however many follow [A.rank.bounded]', () => {
    let [first, last] = ['20260101', '20260101'];
    for (let round = 0; round < 2000; round++) {
      [first] = ranksBetween(undefined, first, 1) as [string];
      [last] = ranksBetween(last, undefined, 1) as [string];
    }
    expect([first.length, last.length].every((length) => length <= 17)).to.equal(true);
    expect(first < '20260101' && last > '20260101').to.equal(true);
  });

  it('are none if there is no room: for the same rank, and below the shortest one of its length', () => {
    expect(ranksBetween('V', 'V', 1)).to.equal(undefined);
    expect(ranksBetween(`${'V'.repeat(rankDigitsMax)}`, `${'V'.repeat(rankDigitsMax)}1`, 1)).to.equal(undefined);
    expect(ranksBetween(undefined, '-'.repeat(rankDigitsMax - 1) + '0', 1)).to.equal(undefined);
  });
});

describe('The rank of a task that was never moved', () => {
  it('is the digits of its created_at and its id [A.rank.age]', () => {
    const created_at = '2026-11-29T01:02:03.456Z';
    expect(rankOfAge({ created_at, id: 'tsk_4n0c2m8w1x7k9q3f' })).to.equal('20261129010203456tsk_4n0c2m8w1x7k9q3f');
    // Ids of files may have any letters and signs.
    expect(rankOfAge({ created_at, id: 'a.b-ä' })).to.equal('20261129010203456ab');
    expect(rankOfAge({ created_at: '2026-11-29T01:02:03+01:00', id: 'a' })).to.equal('202611290102030100a');
  });
});
