import { expect } from 'chai';
import { isDisputed, mergeLines, mergeText, textOf } from '../src/base/merge-text.ts';
import type { Piece } from '../src/base/merge-text.ts';
import { seed } from './support/nasty-texts.ts';
import { Random } from './support/random.ts';
import { textMerges } from './support/text-merges.ts';
import { rarely } from './support/rarely.ts';

type Merge = (base: string, ours: string, theirs: string) => readonly Piece[];

/** The merged text, or each side's text in a conflict. */
function result(merge: Merge, base: string, ours: string, theirs: string): string | { ours: string; theirs: string } {
  const pieces = merge(base, ours, theirs);
  const sides = { ours: textOf(pieces, 'ours'), theirs: textOf(pieces, 'theirs') };
  return pieces.some(isDisputed) ? sides : sides.ours;
}

const swapped = (merged: ReturnType<typeof result>): ReturnType<typeof result> =>
  typeof merged === 'string' ? merged : { ours: merged.theirs, theirs: merged.ours };

describe('Merging two changes of a text [A.edit.merge]', () => {
  for (const { what, base, ours, theirs, merged } of textMerges) {
    it(`${typeof merged === 'string' ? 'keeps both' : 'finds a conflict'}: ${what}`, () => {
      expect(result(mergeText, base, ours, theirs)).to.deep.equal(merged);
      expect(result(mergeText, base, theirs, ours)).to.deep.equal(swapped(merged));
    });
  }

  it('returns the conflicting lines of all three versions', () => {
    const [from, mine, other] = ['The beds dry out in July.', 'The beds dry out in May.', 'The beds dry out in June.'];
    expect(mergeText(`a\nb\n${from}\nc`, `A\nb\n${mine}\nc`, `a\nb\n${other}\nc\nd`).filter(isDisputed)).to.deep.equal([
      { base: [from], ours: [mine], theirs: [other] },
    ]);
    expect(mergeText('a\nb', 'a', 'a\nB').filter(isDisputed)).to.deep.equal([{ base: ['b'], ours: [], theirs: ['B'] }]);
  });

  it('merges whole lines only where lines are syntax', () => {
    const [base, ours, theirs] = ['label: Pay it', 'label: Pay it now', 'name: Pay it'];
    expect(result(mergeText, base, ours, theirs)).to.equal('name: Pay it now');
    expect(result(mergeLines, base, ours, theirs)).to.deep.equal({ ours, theirs });
    expect(result(mergeLines, 'a\nb', 'A\nb', 'a\nB')).to.equal('A\nB');
  });

  it(`loses no line of either side if lines are changed apart from each other (seed ${seed})`, () => {
    const random = new Random(seed);
    for (let round = 0; round < 300; round++) {
      const lines = Array.from({ length: random.integer(4, 40) }, (_, i) => `line ${i}`);
      const sides = [[...lines], [...lines]];
      lines.forEach((_, i) => {
        if (random.chance(0.3)) sides[random.integer(0, 1)]![i] = `changed ${i}`;
      });
      const expected = lines.map((line, i) => (sides[0]![i] !== line ? sides[0]![i]! : sides[1]![i]!));
      const merged = result(mergeText, lines.join('\n'), sides[0]!.join('\n'), sides[1]!.join('\n'));
      expect(merged).to.equal(expected.join('\n'));
    }
  });

  it(`has every word of both, and is the same from both sides, under random changes (seed ${seed})`, () => {
    const random = new Random(seed);
    let clean = 0;
    for (let round = 0; round < 500; round++) {
      const base = randomText(random);
      const [ours, theirs] = [randomlyChanged(random, base, 'm'), randomlyChanged(random, base, 't')];
      const merged = result(mergeText, base, ours, theirs);
      const versions = JSON.stringify({ base, ours, theirs, merged });
      expect(result(mergeText, base, theirs, ours), versions).to.deep.equal(swapped(merged));
      const both = typeof merged === 'string' ? [merged, merged] : [merged.ours, merged.theirs];
      for (const [i, side] of [ours, theirs].entries()) {
        for (const own of side.match(/[mt]\d+/g) ?? []) expect(both[i], versions).to.include(own);
      }
      if (typeof merged === 'string') clean++;
    }
    expect(clean).to.be.within(50, 450);
  });

  it('merges long texts of equal lines', () => {
    const blank = Array<string>(40_000).fill('');
    const [ours, theirs] = [[...blank], [...blank]];
    for (let i = 0; i < 40_000; i += 100) ours[i] = `mine ${i}`;
    theirs[39_999] = 'theirs';
    theirs[5] = 'theirs';
    const text = textOf(mergeText(blank.join('\n'), ours.join('\n'), theirs.join('\n')), 'theirs');
    expect(text.split('\n').filter((line) => line === 'theirs').length).to.equal(2);
  });

  it('merges long texts whose paragraphs are separated by empty lines', () => {
    const lines = Array.from({ length: 12_000 }, (_, i) => (i % 2 === 0 ? `Paragraph ${i} of them.` : ''));
    const side = (first: number, mark: string): string[] =>
      lines.map((line, i) => (i % 200 === first ? `${mark} ${line}` : line));
    const [ours, theirs] = [side(0, 'Ours:'), side(100, 'Theirs:')];
    const expected = lines.map((_, i) => (i % 200 === 0 ? ours[i]! : theirs[i]!));
    expect(result(mergeText, lines.join('\n'), ours.join('\n'), theirs.join('\n'))).to.equal(expected.join('\n'));
  });

  rarely('merges texts of very many lines, and of one very long line', () => {
    const many = '\n'.repeat(1_000_000);
    expect(result(mergeText, many, `ours${many}`, `${many}theirs`)).to.equal(`ours${many}theirs`);
    const replaced = [`${'x\n'.repeat(500_000)}y`, `${'z\n'.repeat(500_000)}y`] as const;
    expect(result(mergeText, many, ...replaced)).to.deep.equal({ ours: replaced[0], theirs: replaced[1] });
    const [word, line] = ['water ', 'water '.repeat(300_000)];
    const sides = [`ours ${line}`, `${line}theirs`] as const;
    const merged = result(mergeText, line, ...sides);
    expect(merged).to.deep.equal({ ours: sides[0], theirs: sides[1] });
    const short = word.repeat(20_000);
    expect(result(mergeText, short, `ours ${short}`, `${short}theirs`)).to.equal(`ours ${short}theirs`);
  });
});

function randomText(random: Random): string {
  const line = (): string =>
    Array.from({ length: random.integer(0, 6) }, () => random.pick(['a', 'b', 'the', 'of', '-', '字，字。'])).join(' ');
  return Array.from({ length: random.integer(1, 6) }, line).join('\n');
}

/** Inserts words that occur once, or has them in the place of others; and removes some. */
function randomlyChanged(random: Random, text: string, mark: string): string {
  const units = text.split(/(?<=[ \n])/);
  for (let i = random.integer(1, 3); i > 0; i--) {
    const at = random.integer(0, units.length);
    const replaced = random.integer(0, 1);
    const own = random.chance(0.8) ? [`${mark}${random.integer(0, 1e9)}${random.pick([' ', '\n'])}`] : [];
    units.splice(at, replaced, ...own);
  }
  return units.join('');
}
