import { expect } from 'chai';
import { excerptOf } from '../../src/domain/search/excerpt.ts';
import { piecesOfText } from '../../src/domain/search/plain-text.ts';
import { swaps, TitleIndex, TitleIndexes, typosIn } from '../../src/domain/search/title-index.ts';
import { wordsOf } from '../../src/domain/search/words.ts';
import { atOnce } from '../../src/base/slices.ts';
import { Random } from '../support/random.ts';
import { distanceOf, TaskPlan } from './task-plan.ts';
import { rarely } from '../support/rarely.ts';

const words = [
  'dig',
  'digging',
  'bed',
  'beds',
  'winter',
  'wintering',
  'Café',
  'cafe',
  'soil',
  '12',
  '123',
  'zucchini',
  '苗床',
];

class Plan extends TaskPlan<TitleIndex> {
  constructor() {
    super((view) => new TitleIndex(view, 'task'));
  }

  find(query: string, typos = true, index = this.index): string[] {
    const { hits, matched, total } = index.find({ words: [...wordsOf(query)], typos, limit: 1000 });
    expect(hits).to.have.length(total);
    return hits.map(({ id, score }) => `${id} ${matched} ${score.toFixed(6)}`).sort();
  }
}

/** How well a word of a title matches one of a query, by the definition. */
function weightOf(word: string, query: string, typos: boolean): number {
  if (word === query) return 1;
  if (word.startsWith(query)) return 0.5 + (0.4 * query.length) / word.length;
  if (!typos || typosIn(query) === 0) return 0;
  if ([...swaps(query)].includes(word)) return 0.4;
  const edits = distanceOf(query, word);
  return edits <= typosIn(query) ? 0.4 / edits : 0;
}

/** The lines of `Plan.find`, by looking at every title. */
function findByDefinition(plan: Plan, query: string, typos: boolean): string[] {
  const words = [...wordsOf(query)];
  const worth = (word: string): number => Math.min(word.length, 8);
  const all = words.reduce((sum, word) => sum + worth(word), 0);
  const weighed = [...plan.tasks.values()].map(({ id, label }) => {
    const title = [...wordsOf(label)];
    const weights = words.map((word) => Math.max(...title.map((one) => weightOf(one, word, typos))));
    const score = weights.reduce((sum, weight, at) => sum + (weight * worth(words[at]!)) / all, 0);
    return { id, score, matched: weights.filter((weight) => weight > 0).length, words: title.length };
  });
  const most = Math.max(0, ...weighed.map(({ matched }) => matched));
  return weighed
    .filter(({ matched }) => most > 0 && matched === most)
    .map((one) => {
      const score = one.score * 0.9 + (0.1 * most) / Math.max(most, one.words);
      return `${one.id} ${most} ${score.toFixed(6)}`;
    })
    .sort();
}

describe('The index of titles', () => {
  rarely(
    'finds what reading every title finds, whether words are common or rare, with and without typos [D7.search]',
    () => {
      const random = Random.announced('titles by definition');
      const plan = new Plan();
      const common = ['bed', 'the', 'winter', 'for'];
      const label = (i: number): string =>
        [...common.filter(() => random.integer(0, 9) > 0), `${i % 70}`, random.pick(words)].join(' ');
      for (let i = 0; i < 400; i++) plan.put(`t${i}`, label(i));
      for (let step = 0; step < 60; step++) {
        const id = `t${random.integer(0, 419)}`;
        if (random.integer(0, 3) === 0 && plan.tasks.has(id)) plan.remove(id);
        else plan.put(id, label(random.integer(0, 400)));
        const typed = [...common, ...words, 'wint', 'bde', 'wniter', 'zuchini', '7', '42', 'none'];
        const query = Array.from({ length: random.integer(1, 4) }, () => random.pick(typed)).join(' ');
        for (const typos of [false, true])
          expect(plan.find(query, typos), `${query}, seed ${random.seed}`).to.deep.equal(
            findByDefinition(plan, query, typos),
          );
      }
    },
  );

  it('finds after any changes the same hits as a new index [D7.search]', () => {
    const random = Random.announced('titles');
    const plan = new Plan();
    const label = (): string => Array.from({ length: random.integer(1, 4) }, () => random.pick(words)).join(' ');
    plan.find('dig');
    for (let step = 0; step < 600; step++) {
      const id = `t${random.integer(0, 39)}`;
      if (random.integer(0, 3) === 0 && plan.tasks.has(id)) plan.remove(id);
      else plan.put(id, label());
      if (step % 20 !== 0) continue;
      const rebuilt = plan.rebuilt();
      for (const query of ['dig', 'bed winter', 'cafe', 'wnter', 'soil 12', 'zuchini beds', '苗']) {
        expect(plan.find(query), `${query}, seed ${random.seed}`).to.deep.equal(plan.find(query, true, rebuilt));
      }
    }
  });

  it('is built in steps, and finds after changes between them the same hits as a new index [A.loop.slices]', () => {
    const random = Random.announced('titles in steps');
    const plan = new Plan();
    const label = (): string => Array.from({ length: random.integer(1, 4) }, () => random.pick(words)).join(' ');
    for (let i = 0; i < 700; i++) plan.put(`t${i}`, label());
    const [first, second] = [plan.index.build()!, plan.index.build()!];
    let steps = 0;
    // Two searches build concurrently: both end, however many titles are added in between, and no title is added twice.
    for (let done = 0; done < 2; steps++) {
      done = [first.next(), second.next()].filter((next) => next.done === true).length;
      for (let change = 0; change < 10; change++) {
        const id = `t${random.integer(0, 799)}`;
        if (random.integer(0, 2) === 0 && plan.tasks.has(id)) plan.remove(id);
        else plan.put(id, label());
      }
    }
    expect(steps).to.be.above(3);
    atOnce(plan.index.build()!);
    expect(plan.index.build()).to.equal(undefined);
    const rebuilt = plan.rebuilt();
    for (const query of ['dig', 'bed winter', 'cafe', 'wnter', 'soil 12', 'zuchini beds', '苗']) {
      expect(plan.find(query), `${query}, seed ${random.seed}`).to.deep.equal(plan.find(query, true, rebuilt));
    }
  });

  it('gets the titles of a burst after it, or with the next search [D7.search, A.loop.slices]', () => {
    let wanted = 0;
    const plan = new TaskPlan((view) => new TitleIndexes(view, () => wanted++));
    plan.put('first', 'Dig');
    atOnce(plan.index.build()!);
    const found = (): number => plan.index.of('task').find({ words: ['dig'], typos: false, limit: 1 }).total;
    expect([found(), wanted]).to.deep.equal([1, 0]);
    const burst = (name: string): void => {
      for (let i = 0; i < 1000; i++) plan.put(`${name}${i}`, `Dig bed ${i}`);
    };
    burst('a');
    expect([wanted, plan.index.mayWait(), plan.index.mayWait()]).to.deep.equal([1, true, false]);
    plan.put('one', 'Dig');
    expect([wanted, plan.index.mayWait(), found()]).to.deep.equal([1, false, 1002]);
    atOnce(plan.index.build() ?? [].values());
    for (let i = 0; i < 51; i++) burst(`b${i}-`);
    expect([wanted, plan.index.mayWait()], 'too many wait').to.deep.equal([2, false]);
    atOnce(plan.index.build()!);
    expect([plan.index.build(), found()]).to.deep.equal([undefined, 52_002]);
  });

  it('is empty until the first search, and contains nothing of deleted records [D7.search]', () => {
    const plan = new Plan();
    plan.put('a', 'Dig');
    plan.put('b', 'Dig');
    plan.remove('a');
    expect(plan.find('dig')).to.have.length(1);
    plan.remove('b');
    expect(plan.find('dig')).to.deep.equal([]);
    plan.put('c', 'Bed');
    expect(plan.find('dig')).to.deep.equal([]);
    expect(plan.find('bed')).to.have.length(1);
  });

  it('returns the best of any number of equal matches [D7.search]', () => {
    const plan = new Plan();
    for (let i = 0; i < 300; i++) plan.put(`t${i}`, `Dig the bed ${i} for the winter`);
    plan.put('best', 'Dig');
    const { hits, total } = plan.index.find({ words: ['dig'], typos: false, limit: 3 });
    expect(total).to.equal(301);
    expect(hits.map(({ id }) => id)).to.deep.equal(['best', 't0', 't1']);
  });
});

describe('Texts', () => {
  const excerpt = (text: string, words: readonly string[], similar: readonly string[] = []): string =>
    atOnce(excerptOf(piecesOfText(text), { words, similar }));

  it('are shown around the match, on one line and with whole characters [D7.search-bodies]', () => {
    const shown = excerpt(`${'😀'.repeat(200)}\n\n- aphids\n- snails${' and more'.repeat(50)}`, ['snails']);
    expect(shown).to.contain('- aphids - snails and more').and.to.match(/^… /);
    expect(shown.isWellFormed()).to.equal(true);
    expect(excerpt('Short.', ['none'])).to.equal('Short.');
  });

  it('are shown around words with accents, similar words, and words without blanks between them [D7.search-bodies]', () => {
    const filler = 'Nothing of it here. '.repeat(20);
    expect(excerpt(`${filler}The Café opens. ${filler}`, ['cafe'])).to.contain('The Café opens.');
    expect(excerpt(`${filler}The roses bloom. ${filler}`, ['rosse'], ['roses'])).to.contain('The roses bloom.');
    expect(excerpt(`${'春'.repeat(300)}温室の準備をする`, ['準備'])).to.contain('準備');
    const long = 'word '.repeat(20_000);
    expect(excerpt(`${long}aphids ${long}`, ['aphids'])).to.match(/^… .*word aphids word.* …$/);
  });
});
