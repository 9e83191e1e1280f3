import { expect } from 'chai';
import { placesIn } from '../../src/domain/text/markdown-urls.ts';

/** The pieces of a text at the found positions, with their data. */
function found(text: string): {
  readonly labels: readonly unknown[];
  readonly destinations: readonly unknown[];
  readonly attributes: readonly unknown[];
} {
  const { labels, destinations, attributes } = placesIn(text);
  const at = ({ start, end }: { readonly start: number; readonly end: number }): string => text.slice(start, end);
  return {
    labels: labels.map((place) => [place.kind, at(place), place.identifier]),
    destinations: destinations.map((place) => [at(place), place.url]),
    attributes: attributes.map((place) => [at(place), place.value]),
  };
}

describe('The positions in a Markdown text [D8.markdown]', () => {
  it('are the labels of definitions and references', () => {
    const text =
      '[a][Foo  Bar] ![b][foo\tbar][ [foo bar][] [Foo Bar]( ![c] [d][C]\n\n> [foo  \t\n> BAR  baz]: /u "t"\n\n[C]: /v';
    expect(found(text).labels).to.deep.equal([
      ['definition', 'foo  \t\n> BAR  baz', 'foo bar baz'],
      ['definition', 'C', 'c'],
      ['reference', '', 'c'],
      ['reference', '[C]', 'c'],
    ]);
    expect(found('[a][Foo  Bar][ ![b][foo\tbar] [foo bar][] [Foo Bar]( x\n\n[foo\n BAR]: /u').labels).to.deep.equal([
      ['definition', 'foo\n BAR', 'foo bar'],
      ['reference', '[Foo  Bar]', 'foo bar'],
      ['reference', '[foo\tbar]', 'foo bar'],
      ['reference', '[]', 'foo bar'],
      ['reference', '', 'foo bar'],
    ]);
  });

  it('are destinations, except in footnotes', () => {
    expect(found('[^a](/x) ![^b](/y)\n\n[^c]: word\n[d]: /z').destinations).to.deep.equal([
      ['/x', '/x'],
      ['/y', '/y'],
      ['/z', '/z'],
    ]);
  });

  it('are attributes of HTML, each in its block', () => {
    expect(found('<div title="\n\n<img src="/a">').attributes).to.deep.equal([['/a', '/a']]);
    expect(found('> a <a href=/x\n> rel=next> <b cite=/y>').attributes).to.deep.equal([
      ['/x', '/x'],
      ['/y', '/y'],
    ]);
    // The alternative text of an image contains no HTML.
    expect(found('![<b cite="/a">](/x) <img src="/b">').attributes).to.deep.equal([['/b', '/b']]);
    // A value over several lines in a quote would include the prefixes.
    expect(found('> <a href="a\n> b" cite="/c">').attributes).to.deep.equal([['/c', '/c']]);
  });
});

describe('HTML that is open at the end of a text [D8.markdown]', () => {
  for (const [opening, closing] of [
    ['<script>', '</script>'],
    ['<pre>', '</pre>'],
    ['<style>', '</style>'],
    ['<textarea>', '</textarea>'],
    ['<!-- a', '-->'],
    ['<?a', '?>'],
    ['<![CDATA[a', ']]>'],
    ['<!doctype', '>'],
  ] as const)
    it(`is closed by ${closing}`, () => {
      for (const open of [opening, opening.toUpperCase()]) {
        expect(placesIn(`a\n\n${open}\nb`).closing, open).to.equal(closing);
        expect(placesIn(`${open}\nb${closing.toUpperCase()}`).closing, open).to.equal('');
        expect(placesIn(`<div>${open}\nb`).closing, 'HTML of another kind').to.equal('');
      }
    });

  it('is not closed if it ends at a blank line', () => {
    for (const text of ['<div>\na', '<div\n<!a', '<b>']) expect(placesIn(text).closing, text).to.equal('');
  });
});

describe('A fence that is open at the end of a text [D8.markdown]', () => {
  it('is closed by one of its length, and only if it is one', () => {
    for (const [text, closing] of [
      ['```', '```'],
      ['~~~~ a', '~~~~'],
      ['```\n   ``` \t', ''],
      ['```\r~~~', '```'],
      ['````\r\n```', '````'],
      ['```\n`````', ''],
      ['```\n``` b', '```'],
      ['```\n\n', '```'],
      ['    ```\n    a', ''],
      ['a\n```\nb', '```'],
    ] as const)
      expect(placesIn(text).closing, JSON.stringify(text)).to.equal(closing);
  });
});
