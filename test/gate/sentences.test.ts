import { expect } from 'chai';
import { repository } from '../support/server-process.ts';
import { countedTexts, type Group, groups, mostPerThousand, rowsOf, sentencesOf } from './sentences.ts';

/** Limits of rows that are above `mostPerThousand`; a row gets a lower one when its texts are rewritten, never a higher one. */
const reached: Readonly<Record<Group, readonly (number | undefined)[]>> = {
  'comments of src': [],
  'comments of test': [],
  'titles of tests': [],
  'sentences of documents': [undefined, 19],
};

describe('The sentences of the project [A.words]', () => {
  const texts = countedTexts(repository);

  for (const group of Object.keys(groups) as Group[]) {
    it(`have a subject and a verb, or a noun, in ${group}`, () => {
      const rows = rowsOf(texts.filter(groups[group]));
      const tooMany = rows.filter(({ perThousand }, row) => perThousand > (reached[group][row] ?? mostPerThousand));
      const found = tooMany.map(({ habit, perThousand, places }) => {
        const list = places.map(({ path, line, text }) => `  ${path}:${line}: ${text}`);
        return [`${habit}: ${perThousand.toFixed(1)} in 1,000 ${group}`, ...list].join('\n');
      });
      expect(found.length, found.join('\n')).to.equal(0);
    });
  }

  it('are counted by comments and titles, and in documents by sentences and cells', () => {
    const counted = (text: string): string[] =>
      sentencesOf({ path: 'x.md', line: 1, kind: 'document', text }).map(({ text: sentence }) => sentence);
    expect(counted('- It is one. What is two: Of three?')).to.deep.equal([
      'It is one.',
      '… What is two:',
      '… Of three?',
    ]);
    expect(counted('| None | a path |')).to.deep.equal(['None', 'a path']);
  });

  it('are found by the habits that they must not have', () => {
    const found = (text: string): string[] =>
      rowsOf([{ path: 'x.ts', line: 1, kind: 'comment', text }])
        .filter(({ places }) => places.length > 0)
        .map(({ habit }) => habit);
    expect(found('Whether it is.')).to.deep.equal(['opens with What, Those, That, It or Whether']);
    expect(found('Keeps what was there, and that of others, if there is none meanwhile.')).to.have.length(4);
    expect(found('Of its UTF-8 form.')).to.have.length(1);
    expect(found('The same list.')).to.have.length(1);
    expect(found('Returns the list of paths, sorted.')).to.deep.equal([]);
  });
});
