import { expect } from 'chai';
import { withHtmlUrls } from '../../src/domain/text/html-urls.ts';
import { placesIn } from '../../src/domain/text/markdown-urls.ts';
import { textMarkdown } from '../../src/domain/text/text-markdown.ts';
import { rarely } from '../support/rarely.ts';

const base = 'https://plan.example.org/';
const absolute = (url: string): string => (URL.canParse(url) ? url : new URL(url, base).href);

/** The text with its URLs made absolute. */
function rewritten(body: string): string {
  return textMarkdown(body, absolute);
}

/** Markdown, and the expected result; the same if there is no second. */
const cases: readonly (readonly [title: string, before: string, after?: string])[] = [
  ['links and images', '[a](x.md) ![b](/y.png)', `[a](${base}x.md) ![b](${base}y.png)`],
  ['titles beside them', '![b](/y.png "A plan")', `![b](${base}y.png "A plan")`],
  ['destinations in angle brackets', '![b](</a b.png>)', `![b](<${base}a%20b.png>)`],
  ['parentheses in a destination', '[a](/x_(1).md)', `[a](${base}x_%281%29.md)`],
  ['escapes and entities in a destination', '[a](/x\\_1&amp;y)', `[a](${base}x_1&y)`],
  ['an image in a link', '[![b](/y.png)](/z)', `[![b](${base}y.png)](${base}z)`],
  ['reference definitions', '[a][1]\n\n[1]: /x.md "T"', `[a][1]\n\n[1]: ${base}x.md "T"`],
  ['lists, quotes and tabs', '> - a\n>\t [b](/x)\n\n\t- [c](/y)', `> - a\n>\t [b](${base}x)\n\n\t- [c](/y)`],
  [
    'headings and tables',
    '# [a](/x)\n\n| a |\n| - |\n| [b](/y) |',
    `# [a](${base}x)\n\n| a |\n| - |\n| [b](${base}y) |`,
  ],
  ['HTML blocks', '<div><img src="/a.png"></div>', `<div><img src="${base}a.png"></div>`],
  ['HTML in a line', 'See <a href=/a>it</a>', `See <a href="${base}a">it</a>`],
  [
    'HTML in a quote over lines',
    "> <p>\n> <img alt='a'\n> src='/a.png'>",
    `> <p>\n> <img alt='a'\n> src='${base}a.png'>`,
  ],
  ['entities in an attribute', '<a href="&#47;a&amp;b">x</a>', `<a href="${base}a&amp;b">x</a>`],
  ['a srcset', '<img srcset="/a.png 1x, b.png 2x">', `<img srcset="${base}a.png 1x, ${base}b.png 2x">`],
  ['a text with a byte order mark', '\uFEFF[a](/x)', `[a](${base}x)`],
  ['what follows an astral character', '😀 [a](/x)', `😀 [a](${base}x)`],
  ['what follows carriage returns', 'a\r\n\r\n[a](/x)', `a\r\n\r\n[a](${base}x)`],
  ['protocol-relative URLs', '[a](//other.example/x)', '[a](https://other.example/x)'],
  [
    'absolute URLs',
    '[a](https://x.example/a) <https://y.example> [m](mailto:a@x.example) ![d](data:image/png;base64,AA==)',
  ],
  ['planner:// links', '[a](planner://artifact/art_1)'],
  ['code spans', '`[a](/x)` and ``<img src="/y">``'],
  ['fenced code', '```html\n<img src="/y">\n[a](/x)\n```'],
  ['indented code', 'a\n\n    [a](/x)\n    <img src="/y">'],
  ['escaped brackets', '\\[a](/x)'],
  ['scripts', 'a\n\n<script>\nlet a = \'<img src="/b">\';\n</script>'],
  ['attributes that hold no URL', '<p title="/a" class=b>x</p>'],
  ['footnotes of one word', 'a[^1]\n\n[^1]: word'],
  ['links without a destination', '[a]() [b](<>)'],
];

describe('Shared Markdown', () => {
  it('does not contain hidden parts of its page: comments, and definitions that serve as such [D8.hidden]', () => {
    for (const [before, after] of [
      ['a <!-- internal --> b', 'a  b'],
      ['a\n<!-- internal\n[b](/x) -->\nc', 'a\n\nc'],
      ['> a\n> <!-- internal\n> b -->\n> c', '> a\n> \n> c'],
      ['<div>\n<!-- internal -->\n<img src="/a.png">\n</div>', `<div>\n\n<img src="${base}a.png">\n</div>`],
      ['<pre>\na<!-- internal --></pre>', '<pre>\na</pre>'],
      ['a\n\n[//]: # (internal)\n\n[comment]: <> "internal"', 'a'],
      ['a<!--> b <!---> c', 'a b  c'],
      ['<!-- internal --><!-- internal -->a', 'a'],
      ['`<!-- code -->`\n\n```\n<!-- code -->\n```', '`<!-- code -->`\n\n```\n<!-- code -->\n```'],
      ['[a]\n\n[a]: /x "T"', `[a]\n\n[a]: ${base}x "T"`],
      ['a <!-- has no end', 'a <!-- has no end'],
    ] as const)
      expect(rewritten(before), before).to.equal(after);
  });
});

describe('URLs in shared Markdown [D8.absolute, S.share-route.4]', () => {
  for (const [title, before, after = before] of cases) {
    it(`are ${after === before ? 'left alone' : 'made absolute'}: ${title}`, () => {
      expect(rewritten(before)).to.equal(after);
    });
  }

  it('are found in HTML of a whole page, and not in its scripts', () => {
    const page = (at: string): string =>
      `<!doctype html><head><link rel=stylesheet href="${at}a.css"><style>p { background: url(/b) }</style></head>` +
      `<body><video poster="${at}c.png"></video><object data='${at}d'></object><form action="${at}e"></form><script>var a = "<a href='/f'>"</script>`;
    expect(withHtmlUrls(page('/'), absolute)).to.equal(page(base));
  });

  it('are unchanged in a text that would take a parser too long', () => {
    for (const busy of ['> '.repeat(20_000), '[a]('.repeat(20_000), '[a]['.repeat(20_000), '- > '.repeat(20_000)]) {
      expect(rewritten(`${busy}x\n\n[a](/x)`)).to.equal(`${busy}x\n\n[a](/x)`);
    }
    const stars = '*a_ '.repeat(20_000);
    expect(rewritten(`${stars}\n\n[a](/x)`)).to.equal(`${stars}\n\n[a](${base}x)`);
  });

  rarely('are found in a long text', () => {
    const long = Array.from({ length: 2000 }, (_, at) => `[a${at}](/x${at}) \`[b](/y)\``).join('\n\n');
    expect(rewritten(long).match(/https:\/\/plan\.example\.org\/x/g)).to.have.length(2000);
  });
});

describe('An open construct at the end of a text', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['```js\nlet a', '```'],
    ['````\n```\n', '````'],
    ['~~~\nx', '~~~'],
    ['```\nx\n```', ''],
    ['    indented', ''],
    ['<!-- a', '-->'],
    ['<!-- a -->', ''],
    ['<script>\nlet a', '</script>'],
    ['<pre>\na\n</pre>', ''],
    ['<div>\n\na', ''],
    ['- a\n\n  ```\n  b', ''],
    ['', ''],
  ];
  for (const [text, closing] of cases) {
    it(`is closed by ${JSON.stringify(closing)}: ${JSON.stringify(text)} [D8.markdown]`, () => {
      expect(placesIn(text).closing).to.equal(closing);
    });
  }
});
