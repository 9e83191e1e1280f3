import { expect } from 'chai';
import { pageHtml } from '../../src/domain/text/page-html.ts';
import { limits } from '../../src/base/limits.ts';

/** The rendered HTML of a text. */
const shown = (html: string): string => pageHtml(`<div>${html}</div>`).trim().slice('<div>'.length, -'</div>'.length);

describe('A text on a page of the service', () => {
  it('keeps the elements that formatted text is made of [D8.mint]', () => {
    for (const html of [
      '<h1>a</h1><h4>b</h4><p>c <strong>d</strong></p><ul><li>e</li></ul><pre tabindex="0"><code>f</code></pre>',
      '<picture><source srcset="https://x.example/a.png 2x" media="print" type="image/png"></source></picture>',
      '<del>a</del><ins>b</ins><details open><summary>c</summary>d</details>',
      '<ol start="3"><li>a</li></ol><span dir="rtl" lang="he">b</span>',
      '<table tabindex="0"><tr><th align="left" colspan="2" rowspan="2">a</th><td align="right" colspan="3" rowspan="3">b</td></tr></table>',
    ])
      expect(shown(html), html).to.equal(html);
  });

  it('loads images lazily, and links without a referrer [D8.mint]', () => {
    expect(
      shown('<img src="https://x.example/a" srcset="b 2x" alt="c" title="d" width="1" height="2" loading="eager">'),
    ).to.equal('<img src="https://x.example/a" srcset="b 2x" alt="c" title="d" width="1" height="2" loading="lazy" />');
    expect(shown('<a href="https://x.example/" title="a" rel="opener" target="_top">b</a>')).to.equal(
      '<a href="https://x.example/" title="a" rel="nofollow noopener noreferrer">b</a>',
    );
  });

  it('contains no input except disabled checkboxes [D8.mint]', () => {
    expect(shown('<input type="text" name="a" value="b" onfocus="c"><input type=checkbox checked>')).to.equal(
      '<input type="checkbox" disabled aria-label="Not done" /><input type="checkbox" disabled checked aria-label="Done" />',
    );
  });

  it('allows only web and mail URLs; an image may be inline [D8.mint, A.trust.html]', () => {
    const hrefs = ['http://x.example', 'https://x.example', 'mailto:a@x.example', '/a', '#a'];
    for (const href of hrefs) expect(shown(`<a href="${href}">b</a>`), href).to.contain(`href="${href}"`);
    for (const href of ['javascript:a', 'data:text/html,a', 'ftp://x.example', 'planner://task/a', 'vbscript:a'])
      expect(shown(`<a href="${href}">b</a>`), href).not.to.contain('href');
    const sources = ['http://x.example/a', 'https://x.example/a', 'data:image/png;base64,AA=='];
    for (const source of sources) {
      expect(shown(`<img src="${source}">`), source).to.contain(`src="${source}"`);
      if (!source.startsWith('data:'))
        expect(shown(`<source srcset="${source} 2x">`), source).to.contain(`"${source} 2x"`);
    }
    expect(shown('<img src="mailto:a@x.example">')).not.to.contain('src');
  });

  it('contains no scripts, forms or frames [A.trust.html]', () => {
    const attack =
      '<script>a</script><style>b</style><p style="c" class="d" id="e" onclick="f">g</p><form action="h"><button>i</button></form><iframe src="j"></iframe>';
    expect(shown(attack)).to.equal('<p>g</p>i');
  });

  it('is preformatted if it is too long to be rendered [A.hostile.rendering]', () => {
    const longest = 'a'.repeat(limits.renderedPageBytesMax);
    expect(pageHtml(longest).trim()).to.equal(`<p>${longest}</p>`);
    expect(pageHtml(`${longest}a`)).to.equal(`<pre tabindex="0">${longest}a</pre>`);
  });
});
