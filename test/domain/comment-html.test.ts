import { expect } from 'chai';
import { Parser } from 'htmlparser2';
import { htmlOf, isBlank, isTooDeep, safeHtml, textOf } from '../../src/domain/text/comment-html.ts';
import { limits } from '../../src/base/limits.ts';
import { Random } from '../support/random.ts';
import { rarely } from '../support/rarely.ts';

/** The stored HTML of a text. */
const shown = (text: string): string => safeHtml(htmlOf(text));

/** Known attacks by texts that are shown as HTML. */
const attacks: readonly string[] = [
  '<script>alert(1)</script>',
  '<p><script src="//evil.example/x.js"></script></p>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<p onclick="alert(1)" onmouseover=alert(1)>x</p>',
  '<img src=x onerror=alert(1)>',
  '<img src="x" / onerror="alert(1)">',
  '<img src=`x` onerror=`alert(1)`>',
  '<IMG """><SCRIPT>alert(1)</SCRIPT>">',
  '<svg onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<template><img src=x onerror=alert(1)></template>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="data:text/html;base64,PHNjcmlwdD4="></object>',
  '<embed src="javascript:alert(1)">',
  '<link rel=stylesheet href="javascript:alert(1)">',
  '<meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '<base href="https://evil.example/">',
  '<form action="javascript:alert(1)"><button>x</button><input type=submit formaction="javascript:alert(1)"></form>',
  '<style>*{background:url(javascript:alert(1))}</style>',
  '<p style="background:url(javascript:alert(1))">x</p>',
  '<xmp><img src=x onerror=alert(1)></xmp>',
  '<textarea><img src=x onerror=alert(1)></textarea>',
  '<plaintext><img src=x onerror=alert(1)>',
  '<select><option><img src=x onerror=alert(1)></select>',
  '<video><source onerror="alert(1)"></video>',
  '<details open ontoggle=alert(1)>x</details>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href=" &#1; javascript:alert(1)">x</a>',
  '<a href="jAvAsCrIpT&colon;alert(1)">x</a>',
  '<a href="java&#10;script&#x3a;alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="vbscript:x">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="//evil.example">x</a>',
  '<a target="_blank" ping="https://evil.example" href="https://x.example">x</a>',
  '<img src="javascript:alert(1)">',
  '<img src="data:image/svg+xml;base64,PHN2Zz4=">',
  '<img src="\u0001data:image/svg+xml,<svg onload=alert(1)>">',
  '<img src="da\nta:text/html,x">',
  '<img srcset="javascript:alert(1) 1x" src="/api/v1/files/fil_1">',
  '<img id=location name=cookie src="/a.png">',
  '<!--[if IE]><script>alert(1)</script><![endif]-->',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<?xml version="1.0"?><x onload=alert(1)>',
  '[x](javascript:alert(1))',
  '[x](java&#115;cript:alert(1))',
  '[x](<javascript:alert(1)> "t")',
  '![x](javascript:alert(1))',
  '![x](data:image/svg+xml;base64,PHN2Zz4=)',
  '![x](a.png"onerror="alert(1))',
  '[x]: javascript:alert(1)\n\n[x]',
  '<javascript:alert(1)>',
  '```"onclick="alert(1)\nx\n```',
  '`<img src=x onerror=alert(1)>` <img src=x onerror=alert(1)>',
  '- [x] <script>alert(1)</script>',
  '| a |\n|-|\n| <img src=x onerror=alert(1)> |',
  '<p>x</p\nonclick=alert(1)>',
  '<p title="a>b" onclick="x">y</p>',
  '\u0000<script\u0000>alert(1)</script>',
];

const elements = new Set(
  'h1 h2 h3 h4 h5 h6 p div blockquote pre hr br ul ol li dl dt dd table caption thead tbody tfoot tr th td figure figcaption details summary a abbr b cite code del em i img input ins kbd mark q s samp small span strong sub sup u var'.split(
    ' ',
  ),
);
const attributes = new Set(
  'href title class open src alt width height type checked disabled value start reversed align colspan rowspan scope'.split(
    ' ',
  ),
);

/** Finds everything executable in a text, by a method other than the sanitiser's. */
function dangers(html: string): string[] {
  const found: string[] = [];
  const parser = new Parser(
    {
      onopentag: (name, attribs) => {
        if (!elements.has(name)) found.push(`<${name}>`);
        for (const [attribute, value] of Object.entries(attribs)) {
          if (!attributes.has(attribute)) found.push(`${name}[${attribute}]`);
          if ((attribute === 'href' || attribute === 'src') && !isSafe(value, attribute)) found.push(value);
        }
      },
      oncomment: () => found.push('a comment'),
      onprocessinginstruction: () => found.push('an instruction'),
    },
    { recognizeCDATA: true },
  );
  parser.end(html);
  return found;
}

function isSafe(address: string, attribute: string): boolean {
  // As browsers parse it; unparsable URLs are harmless.
  const protocol = URL.parse(address, 'https://here.example/')?.protocol ?? 'https:';
  if (protocol === 'data:')
    return attribute === 'src' && /^data:image\/(png|jpeg|gif|webp|avif);base64,/i.test(address);
  return ['http:', 'https:', ...(attribute === 'href' ? ['mailto:', 'tel:', 'planner:'] : [])].includes(protocol);
}

describe('The HTML of comments', () => {
  it('removes everything executable [D7.comment-html]', () => {
    for (const attack of attacks) expect(dangers(shown(attack)), `${attack} → ${shown(attack)}`).to.deep.equal([]);
  });

  it('removes attacks that are cut and combined at random, and is idempotent [D7.comment-html]', () => {
    const random = new Random(Number(process.env['PLANNER_TEST_SEED'] ?? 20_260_102));
    for (let round = 0; round < 500; round++) {
      let text = '';
      for (let part = random.integer(1, 4); part > 0; part--) {
        const attack = random.pick(attacks);
        const from = random.integer(0, attack.length);
        text += random.integer(0, 1) === 0 ? attack : attack.slice(from, from + random.integer(1, 40));
      }
      const once = shown(text);
      expect(dangers(once), JSON.stringify(text)).to.deep.equal([]);
      expect(safeHtml(once), JSON.stringify(text)).to.equal(once);
    }
  });

  it('keeps formatting, images and links to tasks [D7.comment-html]', () => {
    const kept = [
      '<p>a <strong>b</strong> <em>c</em> <u>d</u> <s>e</s> <code>f</code> <mark>g</mark></p>',
      '<h2>t</h2><ul><li>a<ol start="3"><li>b</li></ol></li></ul><blockquote>q</blockquote><hr />',
      '<table><tr><th align="right" colspan="2">x</th></tr></table>',
      '<pre><code class="language-ts">a &lt; b &amp;&amp; c</code></pre>',
      '<p><img src="/api/v1/files/fil_1" alt="plan" width="40" /><img src="https://x.example/a.png" /></p>',
      '<p><img src="data:image/png;base64,iVBORw0KGgo=" /></p>',
      '<p><a href="/tasks/tsk_1">t</a> <a href="planner://task/tsk_1">t</a> <a href="mailto:a@b.example">m</a></p>',
      '<p><a href="https://x.example/?a=1&amp;b=2" title="T">x</a> <a href="#part">y</a></p>',
    ];
    for (const html of kept) expect(shown(html)).to.equal(html);
  });

  it('is rendered from Markdown, or from HTML if the text begins with a block tag [D7.comment-html]', () => {
    expect(shown('**a** ~~b~~\n\n- [x] c')).to.equal(
      '<p><strong>a</strong> <del>b</del></p>\n<ul>\n<li><input type="checkbox" checked disabled /> c</li>\n</ul>',
    );
    expect(shown('![plan](/api/v1/files/fil_1) [t](planner://task/tsk_1)')).to.equal(
      '<p><img src="/api/v1/files/fil_1" alt="plan" /> <a href="planner://task/tsk_1">t</a></p>',
    );
    expect(shown('see <b>this</b> *one*')).to.equal('<p>see <b>this</b> <em>one</em></p>');
    expect(shown('a < b & "c"')).to.equal('<p>a &lt; b &amp; "c"</p>');
    expect(shown('  <P>*a*</P>\n\n    <p>b</p>')).to.equal('  <p>*a*</p>\n\n    <p>b</p>');
    expect(shown('<pre>a\n\n\nb</pre>')).to.equal('<pre>a\n\n\nb</pre>');
  });

  it('shows unknown elements of HTML, and unclosed ones, as text [D7.comment-text]', () => {
    const texts: readonly (readonly [string, string])[] = [
      [
        'Map<K, List<V>> and Vec<String>, a<b and c>d',
        'Map&lt;K, List&lt;V&gt;&gt; and Vec&lt;String&gt;, a&lt;b and c&gt;d',
      ],
      ['see <id> please', 'see &lt;id&gt; please'],
      ['<id> *is*', '&lt;id&gt; <em>is</em>'],
      ['Box<B>, List<Button>, Vec<Input>', 'Box&lt;B&gt;, List&lt;Button&gt;, Vec&lt;Input&gt;'],
      ['the <script> tag and </b>', 'the &lt;script&gt; tag and &lt;/b&gt;'],
      ['**a<T>** [b<U>](x)', '<strong>a&lt;T&gt;</strong> <a href="x">b&lt;U&gt;</a>'],
      ['<?php echo 1 ?> <![CDATA[x]]> <!X y>', '&lt;?php echo 1 ?&gt; &lt;![CDATA[x]]&gt; &lt;!X y&gt;'],
      ['a <!-- b', 'a &lt;!-- b'],
      ['a<!-- b -->c <kbd>d<e</kbd> <u>f</u><br>', 'ac <kbd>d&lt;e</kbd> <u>f</u><br />'],
      ['<textarea>a</textarea> <my-tag x="1">', '&lt;textarea&gt;a&lt;/textarea&gt; &lt;my-tag x="1"&gt;'],
    ];
    for (const [text, html] of texts) {
      expect(shown(text), text).to.equal(`<p>${html}</p>`);
      if (!/[*[]/.test(text)) expect(shown(`<div>${text}</div>`), text).to.equal(`<div>${html}</div>`);
    }
    expect(shown('- a<T>\n- b')).to.equal('<ul>\n<li>a&lt;T&gt;</li>\n<li>b</li>\n</ul>');
    expect(shown('|a<T>|b|\n|-|-|\n|<b>c|</b>|')).to.contain('<th>a&lt;T&gt;</th>').and.contain('<td>&lt;b&gt;c</td>');
    expect(shown('<details>\n\n*a*\n\n</details>\n\n<li>b')).to.equal(
      '<details><p><em>a</em></p>\n</details><li>b</li>',
    );
    expect(shown('<script>\n\n*a*')).to.equal('<p>&lt;script&gt;</p>\n<p><em>a</em></p>');
  });

  rarely('keeps each word of a text in which no element is dangerous [D7.comment-text]', () => {
    const random = new Random(Number(process.env['PLANNER_TEST_SEED'] ?? Date.now()));
    // No element ends, so no element has attributes.
    const parts = [
      '<',
      '>',
      '/>',
      ' ',
      'b',
      'T',
      ',',
      '"',
      '=',
      '&',
      '<b>',
      '<T>',
      '</T>',
      '<p>',
      '<script>',
      '\n',
      '*',
      '`',
    ];
    for (let round = 0; round < 150; round++) {
      let text = 'w0';
      for (let at = 1; at < 12; at++) text += `${random.pick(parts)}${random.pick(parts)} w${at}x `;
      const visible = textOf(shown(text)).replace(/\s/g, '');
      for (let at = 1; at < 12; at++) expect(visible, JSON.stringify([text, shown(text)])).to.contain(`w${at}x`);
    }
  });

  it('stores Markdown that is too long or too deep to render as preformatted text [D7.comment-html]', () => {
    const long = 'word & '.repeat(limits.renderedMarkdownBytesMax / 7 + 1);
    expect(shown(long)).to.equal(`<pre>${long.replaceAll('&', '&amp;')}</pre>`);
    for (const deep of ['>'.repeat(20_000), '- '.repeat(500), '1. '.repeat(9000), `${'> - '.repeat(200)}x`]) {
      expect(isTooDeep(shown(deep)), deep.slice(0, 10)).to.equal(false);
      expect(dangers(shown(deep))).to.deep.equal([]);
    }
    expect(shown('>'.repeat(20_000))).to.equal(`<pre>${'&gt;'.repeat(20_000)}</pre>`);
    const nested = '<div>'.repeat(limits.htmlDepthMax + 1);
    expect(isTooDeep(nested)).to.equal(true);
    expect(safeHtml(nested)).to.equal(`<pre>${nested.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</pre>`);
    expect(isTooDeep('<div>'.repeat(limits.htmlDepthMax))).to.equal(false);
  });

  rarely('takes bounded time for any text', function () {
    this.timeout(60_000);
    const size = limits.renderedMarkdownBytesMax;
    for (const part of [
      '_a',
      '__a__b',
      '*a',
      '***a',
      '~a~~',
      '[',
      '![',
      '[a](',
      '`a``b',
      '<a ',
      '|a',
      '\\',
      '&',
      '- a\n',
    ])
      shown(part.repeat(Math.floor(size / part.length)));
    for (const part of ['<p>', '<div>', '<b>x', '<img src="x">', '<foo>', '&', '<', '<!--'])
      shown(`<p>${part.repeat(Math.floor(200_000 / part.length))}`);
  });

  it('is blank without visible content', () => {
    for (const text of [
      ' ',
      '<p></p>',
      '<p>&nbsp;<br></p>',
      '<script>x</script>',
      '<img alt="x">',
      '\u200b',
      '<hr>',
      '[](x)',
    ])
      expect(isBlank(shown(text)), text).to.equal(true);
    for (const text of ['.', '![](/api/v1/files/fil_1)', '<p>0</p>', '\u{1f600}', '`<script>`'])
      expect(isBlank(shown(text)), text).to.equal(false);
  });
});
