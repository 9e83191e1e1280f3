import { expect } from 'chai';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { markdownPieces } from '../../src/web/ui/markdown/blocks.ts';
import { MarkdownParser } from '../../src/web/ui/markdown/markdown-tree.ts';
import type { MarkdownNode } from '../../src/web/ui/markdown/markdown-tree.ts';
import { keyOfNode, patchBetween, patched } from '../../src/web/ui/markdown/tree-patch.ts';
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
    for (let round = 0; round < 8; round++) {
      const text = Array.from({ length: 150 }, () => random.pick(blocks)).join('\n\n');
      const pieces = markdownPieces(text);
      if (pieces.length > 3) several++;
      expect(pieces.flatMap(drawn), `round ${round}`).to.deep.equal(drawn(text));
    }
    expect(several).to.be.greaterThan(4);
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

  it('are parsed again only where a change is, and other nodes stay the same [S.web.documents]', () => {
    const sections = Array.from({ length: 20 }, (_, at) => `# Section ${at}\n\n${filler}`);
    const before = shownFirst(sections.join('\n\n'));
    const after = shownNext(before, sections.with(7, '# Changed').join('\n\n'));
    expect(after.map(keyOfNode)).to.include.members(before.slice(0, 28).map(keyOfNode));
    expect(after.filter((node) => !before.includes(node))).to.have.length.lessThan(4);
    const longer = shownNext(before, sections.toSpliced(3, 0, '# New').join('\n\n'));
    expect(before.every((node) => longer.includes(node))).to.equal(true);
    expect(new Set(longer.map(keyOfNode)).size).to.equal(longer.length);
  });

  it('of one long list change in one item only [S.web.documents]', () => {
    const items = Array.from({ length: 400 }, (_, at) => `- Bed ${at}`);
    const before = shownFirst(items.join('\n'));
    const after = shownNext(before, items.with(200, '- Bed **200**').join('\n'));
    const [old, now] = [before, after].map(
      ([list]) => (list as { readonly children: readonly MarkdownNode[] }).children,
    );
    expect(now!.filter((node) => !old!.includes(node))).to.have.length(1);
    expect(now!.map(keyOfNode)).to.deep.equal(old!.map(keyOfNode));
  });

  it('become those of any other text by a patch [S.web.documents]', () => {
    const random = Random.announced('markdown patches');
    let list = Array.from({ length: 60 }, () => random.pick(blocks));
    let shown = shownFirst(list.join('\n\n'));
    const parser = new MarkdownParser();
    for (let round = 0; round < 15; round++) {
      const at = random.integer(0, list.length - 1);
      list = list.toSpliced(
        at,
        random.integer(0, 2),
        ...Array.from({ length: random.integer(0, 2) }, () => random.pick(blocks)),
      );
      const text = list.join('\n\n');
      shown = shownNext(shown, text, parser);
      expect(shown, `round ${round}`).to.deep.equal(new MarkdownParser().parse(text));
      expect(new Set(shown.map(keyOfNode)).size).to.equal(shown.length);
    }
  });
});

function shownFirst(text: string): readonly MarkdownNode[] {
  return shownNext([], text);
}

/** The tree that the page shows after a change of its text. The patch comes from a worker. */
function shownNext(
  shown: readonly MarkdownNode[],
  text: string,
  parser = new MarkdownParser(),
): readonly MarkdownNode[] {
  const patch = patchBetween(shown, parser.parse(text));
  return patch === undefined ? shown : patched(shown, structuredClone(patch));
}

describe('A rendered text', () => {
  it('shows unknown tags as text, and leaves HTML out [S.web.documents]', () => {
    const shown = (text: string): string => {
      const textOf = (node: MarkdownNode): string =>
        node.type === 'text' ? node.value : 'children' in node ? node.children.map(textOf).join('') : '';
      return new MarkdownParser().parse(text).map(textOf).join('').trim();
    };
    expect(shown('Vec<String> and <id> <!-- x -->**b**<br><u>c</u>')).to.equal('Vec<String> and <id> bc');
    expect(shown('<id>\nis one')).to.equal('<id>\nis one');
    expect(shown('> <T>')).to.equal('<T>');
    expect(shown('<script>x</script>')).to.equal('');
  });
});
