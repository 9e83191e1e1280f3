import { expect } from 'chai';
import type { TaskRecord } from '../../src/domain/records/collections.ts';
import { BodyIndex } from '../../src/domain/search/body-index.ts';
import { Arena, costOf, Packed, type Postings, stored, withPosting } from '../../src/domain/search/postings.ts';
import { Tally } from '../../src/domain/search/tally.ts';
import { TermList } from '../../src/domain/search/term-list.ts';
import { wordsOf } from '../../src/domain/search/words.ts';
import { limits } from '../../src/base/limits.ts';
import { Random } from '../support/random.ts';
import { rarely } from '../support/rarely.ts';
import { distanceOf, TaskPlan } from './task-plan.ts';

const words = [
  ...['dig', 'digging', 'bed', 'beds', 'winter', 'wintering', 'Café', 'cafe', 'soil', '12', '123', 'zucchini', '苗床'],
  ...['snake_case', 'prerequisite', 'prerequisites-of-the-year'],
];

class Plan extends TaskPlan<BodyIndex> {
  constructor() {
    super((view) => new BodyIndex(view));
  }

  find(query: string, typos = false, index = this.index): string[] {
    const { hits } = index.find({ words: [...wordsOf(query)], typos, limit: 1000, types: new Set(['task']) });
    return hits.map(({ id }) => id).sort();
  }

  /** Reads every task: each word begins a word of the title or the text, one at least of the text. */
  findByReading(query: string): string[] {
    const asked = [...wordsOf(query)];
    const has = (text: string, word: string): boolean => [...wordsOf(text)].some((one) => one.startsWith(word));
    return [...this.tasks.values()]
      .filter(({ label, description }) => asked.every((word) => has(label, word) || has(description, word)))
      .filter(({ description }) => asked.some((word) => has(description, word)))
      .map(({ id }) => id)
      .sort();
  }
}

describe('The index of texts', () => {
  const queries = [
    'dig',
    'bed winter',
    'cafe',
    'soil 12',
    'zucchini',
    'case snake',
    'prereq',
    'pre of year',
    'none',
    '苗',
  ];

  rarely('finds after any changes what reading every text finds, also while it is built [D7.search-bodies]', () => {
    const random = Random.announced('texts');
    const plan = new Plan();
    const text = (): string => Array.from({ length: random.integer(0, 6) }, () => random.pick(words)).join(' ');
    const change = (): void => {
      const id = `t${random.integer(0, 399)}`;
      if (random.integer(0, 3) === 0 && plan.tasks.has(id)) plan.remove(id);
      else plan.put(id, text(), random.integer(0, 99) === 0 ? `${'filler '.repeat(10_000)}${text()}` : text());
    };
    for (let i = 0; i < 300; i++) change();
    // Two searches build concurrently, and one of them is abandoned.
    const [first, second] = [plan.index.build()!, plan.index.build()!];
    first.next();
    for (let next = second.next(); next.done !== true; next = second.next()) change();
    for (let step = 0; step < 1000; step++) {
      change();
      if (step % 150 !== 0) continue;
      for (const query of queries)
        expect(plan.find(query), `${query}, seed ${random.seed}`).to.deep.equal(plan.findByReading(query));
    }
  });

  it('ranks by the words in the text, whole words first, then by age, up to the limit of each kind [D7.search-bodies]', () => {
    const plan = new Plan();
    plan.put('old', '', 'digging beds');
    plan.put('title', 'Beds', 'dig');
    plan.put('young', '', 'digging beds');
    plan.put('whole', '', 'dig beds');
    const find = (limit: number): string[] =>
      plan.index
        .find({ words: ['dig', 'beds'], typos: false, limit, types: new Set(['task']) })
        .hits.map(({ id }) => id);
    expect(find(10)).to.deep.equal(['whole', 'old', 'young', 'title']);
    plan.put('old', '', 'digging the beds');
    expect(find(2)).to.deep.equal(['whole', 'old']);
    expect(plan.index.find({ words: ['dig'], typos: false, limit: 1, types: new Set(['note']) }).hits).to.deep.equal(
      [],
    );
  });

  it('finds words with typos if asked, and names the similar ones [D7.search-bodies]', () => {
    const plan = new Plan();
    plan.put('a', '', 'For the aphids on the roses');
    const found = plan.index.find({ words: ['rosse'], typos: true, limit: 5, types: new Set(['task']) });
    expect(found.hits.map(({ id }) => id)).to.deep.equal(['a']);
    expect(found.similar).to.deep.equal(['roses']);
    expect(plan.find('aphdis', true)).to.deep.equal(['a']);
    expect(plan.find('aphdis')).to.deep.equal([]);
  });

  rarely('contains texts up to a bound, and says that there are more [D7.search-bodies]', () => {
    const { searchTextCharactersMax } = limits;
    Object.assign(limits, { searchTextCharactersMax: 64 * 1024 });
    try {
      const plan = new Plan();
      const part = 'x '.repeat(limits.searchTextCharactersMax / 8);
      for (const id of ['a', 'b', 'c', 'd', 'e']) plan.put(id, 'Dig', `${part.slice(8)} dig`);
      expect(plan.find('dig')).to.deep.equal(['a', 'b', 'c', 'd']);
      expect(plan.index.incomplete).to.equal(true);
      plan.remove('e');
      expect(plan.index.incomplete).to.equal(false);
    } finally {
      Object.assign(limits, { searchTextCharactersMax });
    }
  });

  it('reads no text that is not in memory before a search, and each state once [D7.search-bodies]', () => {
    const plan = new Plan();
    let reads = 0;
    const lazy = (id: string, status: string): TaskRecord =>
      Object.defineProperty({ id, label: id, status, created_at: '2026-01-01' }, 'description', {
        enumerable: true,
        get: () => (reads++, 'aphids'),
      }) as unknown as TaskRecord;
    const first = lazy('a', 'todo');
    plan.tasks.set('a', first);
    expect(reads).to.equal(0);
    for (let i = 0; i < 3; i++) expect(plan.find('aphids')).to.deep.equal(['a']);
    expect(reads).to.equal(1);
    const second = lazy('a', 'done');
    plan.tasks.set('a', second);
    plan.index.changed('task', first, second);
    expect(reads).to.equal(1);
    for (let i = 0; i < 3; i++) expect(plan.find('aphids')).to.deep.equal(['a']);
    expect(reads).to.equal(2);
  });

  it('ignores encoded data, and finds words longer than it keeps by their beginning [D7.search-bodies]', () => {
    const plan = new Plan();
    plan.put('a', '', `![x](data:image/png;base64,${'Zm9v'.repeat(5000)}) ${'wo'.repeat(40)}`);
    expect(plan.find('Zm9v')).to.deep.equal([]);
    expect(plan.find('wo'.repeat(18))).to.deep.equal(['a']);
  });
});

describe('A list of terms', () => {
  it('finds by prefix and within a number of edits what looking at every term finds [D7.search]', () => {
    const random = Random.announced('terms');
    const list = new TermList();
    const terms = new Map<string, number>();
    for (let round = 0; round < 20; round++) {
      for (let i = 0; i < 60; i++) {
        const term = Array.from({ length: random.integer(1, 7) }, () => random.pick([...'abcé9'])).join('');
        if (terms.has(term)) continue;
        list.add(term, terms.size);
        terms.set(term, terms.size);
      }
      const word = Array.from({ length: random.integer(1, 6) }, () => random.pick([...'abcé9'])).join('');
      const seed = `${word}, seed ${random.seed}`;
      const begun = [...terms].filter(([one]) => one.startsWith(word)).sort(([a], [b]) => (a < b ? -1 : 1));
      const found: [number, number][] = [];
      list.eachWithPrefix(word, Infinity, (length, number) => void found.push([length, number]));
      expect(found, seed).to.deep.equal(begun.map(([{ length }, number]) => [length, number]));
      list.eachWithPrefix(word, 2, () => void found.pop());
      expect(found.length, seed).to.equal(Math.max(0, begun.length - 2));
      for (const most of [1, 2]) {
        const near = [...terms].flatMap(([one, number]): [string, number, number][] => {
          const edits = distanceOf(word, one);
          return edits > 0 && edits <= most ? [[one, edits, number]] : [];
        });
        expect([...list.within(word, most)], seed).to.deep.equal(near.sort(([a], [b]) => (a < b ? -1 : 1)));
      }
    }
  });
});

describe('Postings', () => {
  it('are counted as the numbers that were added, few or many, with small and large differences [D7.search]', () => {
    const random = Random.announced('postings');
    for (const count of [1, 2, 8, 9, 500]) {
      let postings: Postings | undefined;
      const added: number[] = [];
      for (
        let value = random.integer(0, 9);
        added.length < count;
        value += random.pick([1, 127, 128, 20_000, 200_000])
      ) {
        postings = withPosting(postings, value);
        added.push(value);
      }
      const tally = new Tally((added.at(-1)! >>> 1) + 1);
      tally.next();
      tally.add(postings!, 0.5);
      const slots = [...new Set(added.map((value) => value >>> 1))];
      expect([...tally.reached], `seed ${random.seed}`).to.deep.equal(slots);
      const inText = new Set(added.filter((value) => value % 2 === 1).map((value) => value >>> 1));
      expect(slots.filter((slot) => tally.scores[slot] === 0.5)).to.deep.equal(
        slots.filter((slot) => inText.has(slot)),
      );
      expect(postings instanceof Packed).to.equal(count > 8);
      expect(costOf(postings!)).to.be.at.least(count);
    }
  });

  it('are the same in an arena, and take further numbers without changing others in it [D7.search]', () => {
    const random = Random.announced('arena');
    const arena = new Arena();
    const lists = Array.from({ length: 40 }, () => {
      const values = new Set<number>();
      for (let count = random.integer(1, 30); count > 0; count--) values.add(random.integer(0, 5_000_000));
      return [...values].sort((a, b) => a - b);
    });
    const slotsOf = (postings: Postings): number[] => {
      const tally = new Tally(3_000_000);
      tally.next();
      tally.add(postings, 1);
      return [...tally.reached];
    };
    const slots = (values: readonly number[]): number[] => [...new Set(values.map((value) => value >>> 1))];
    const made = lists.map((values) => values.reduce<Postings | undefined>(withPosting, undefined)!);
    const kept = made.map((postings) => stored(postings, arena));
    const more = kept.map((postings, at) => (at % 2 === 0 ? postings : withPosting(postings, 5_500_000)));
    more.forEach((postings, at) => {
      const values = at % 2 === 0 ? lists[at]! : [...lists[at]!, 5_500_000];
      expect(slotsOf(postings), `seed ${random.seed}`).to.deep.equal(slots(values));
    });
  });

  it('count once a word, by the first weight in a text, and only where every word before matches [D7.search]', () => {
    const tally = new Tally(4);
    const [text, title] = [(slot: number): number => slot * 2 + 1, (slot: number): number => slot * 2];
    tally.next();
    tally.add([title(0), text(1), text(2)], 1);
    tally.add([text(0), text(1)], 0.5);
    expect([...tally.reached]).to.deep.equal([0, 1, 2]);
    tally.next();
    tally.add([text(1), title(2), text(3)], 0.25);
    expect([...tally.reached]).to.deep.equal([1, 2]);
    expect([...tally.scores]).to.deep.equal([0.5, 1.25, 1, 0]);
    tally.clear();
    expect([[...tally.reached], [...tally.scores]]).to.deep.equal([[], [0, 0, 0, 0]]);
  });
});
