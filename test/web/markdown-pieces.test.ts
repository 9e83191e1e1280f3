import { expect } from 'chai';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { keyedPieces, markdownPieces } from '../../src/web/ui/markdown/blocks.ts';
import { Random } from '../support/random.ts';

const filler = 'The beds dry out in July, and the drip line waters them before six. '.repeat(20);
const blocks = [
  filler,
  '# Heading',
  '## Another\nwith text',
  '- one\n\n- two\n\n  in two',
  '1. one\n\n   ```js\n   a\n\n   b\n   ```',
  '```\n# no heading\n\n\n# nor this\n```',
  '~~~~\n```\n\nx\n~~~~',
  '<!-- a\n\n# comment\n-->',
  '<pre>\n\n# pre\n\n</pre>',
  '> quote\n\n> another',
  '    code\n\n    more',
  '| a | b |\n| - | - |\n| 1 | 2 |',
  'See [there][soil] and [Soil].',
  '[soil]: https://soil.example',
  'Title\n=====',
  '- item\n\n  ```\n  open',
];

/** The types and texts of the top-level blocks; definitions draw nothing. */
function drawn(text: string): string[] {
  const strip = (key: string, value: unknown): unknown => (key === 'position' ? undefined : value);
  return fromMarkdown(text)
    .children.filter(({ type }) => type !== 'definition')
    .map((block) => JSON.stringify(block, strip));
}

describe('The pieces of a Markdown text', () => {
  it('render alone as the whole text does [S.web.documents]', () => {
    const random = Random.announced('markdown pieces');
    let several = 0;
    for (let round = 0; round < 20; round++) {
      const text = Array.from({ length: 150 }, () => random.pick(blocks)).join('\n\n');
      const pieces = markdownPieces(text);
      if (pieces.length > 3) several++;
      expect(pieces.flatMap(drawn), `round ${round}`).to.deep.equal(drawn(text));
    }
    expect(several).to.be.greaterThan(15);
  });

  it('do not end within a list item whose code block is open: the blank lines after it are code [S.web.documents]', () => {
    const item = '- item\n\n  ```\n  open';
    for (const items of [[item], [item, item]]) {
      const text = [filler, filler, filler, ...items, '> quote', filler, filler, filler, '# Heading'].join('\n\n');
      const pieces = markdownPieces(text);
      expect(pieces).to.have.length(3);
      expect(pieces.flatMap(drawn)).to.deep.equal(drawn(text));
    }
  });

  it('keep their keys when another one changes [S.web.documents]', () => {
    const sections = Array.from({ length: 20 }, (_, at) => `# Section ${at}\n\n${filler}`);
    const before = keyedPieces(sections.join('\n\n'));
    expect(before.pieces).to.have.length(20);
    const after = keyedPieces(sections.with(7, '# Changed').join('\n\n'), before);
    expect(after.pieces.map(({ key }) => key)).to.deep.equal(before.pieces.map(({ key }) => key));
    expect(after.pieces.filter((piece) => !before.pieces.includes(piece))).to.have.length(1);
    const longer = keyedPieces(sections.toSpliced(3, 0, '# New').join('\n\n'), before);
    expect(longer.pieces.filter((piece) => !before.pieces.includes(piece))).to.have.length(1);
    expect(new Set(longer.pieces.map(({ key }) => key)).size).to.equal(21);
  });
});
