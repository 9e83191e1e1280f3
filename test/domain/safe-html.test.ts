import { expect } from 'chai';
import { execFileSync } from 'node:child_process';
import { htmlOf, isBlank, preformatted, safeHtml, textOf } from '../../src/domain/text/comment-html.ts';
import { limits } from '../../src/base/limits.ts';

const shown = (text: string): string => safeHtml(htmlOf(text));

describe('Safe HTML [D7.comment-html]', () => {
  it('has the elements of formatted text', () => {
    for (const html of [
      '<h1>a</h1><h2>b</h2><h3>c</h3><h4>d</h4><h5>e</h5><h6>f</h6><div>a<br />b</div>',
      '<dl><dt>a</dt><dd>b</dd></dl><figure>a<figcaption>b</figcaption></figure><details open><summary>a</summary>b</details>',
      '<table><caption>a</caption><thead><tr><th>b</th></tr></thead><tbody><tr><td>c</td></tr></tbody><tfoot></tfoot></table>',
      '<p><b>a</b><i>b</i><cite>c</cite><ins>d</ins><kbd>e</kbd><q>f</q><samp>g</samp><small>h</small></p>',
      '<p><span>a</span><sub>b</sub><sup>c</sup><var>d</var><abbr title="e">f</abbr></p>',
    ])
      expect(safeHtml(html)).to.equal(html);
  });

  it('has the attributes of formatted text', () => {
    for (const html of [
      '<ol start="2" reversed type="a"><li value="3">a</li></ol>',
      '<table><tr><th align="left" colspan="2" rowspan="2" scope="col">a</th><td align="left" colspan="2" rowspan="2">b</td></tr></table>',
      '<img src="/a.png" alt="b" title="c" width="1" height="2" />',
    ])
      expect(safeHtml(html)).to.equal(html);
    expect(safeHtml('<code class="evil language-ts" id="a">b</code>')).to.equal('<code class="language-ts">b</code>');
  });

  it('has addresses of the web, of mail, of telephones and of tasks', () => {
    for (const href of ['http://a', 'https://a', 'mailto:a@b.example', 'tel:1', 'planner://task/a', '/a', '#a'])
      expect(safeHtml(`<a href="${href}">b</a>`)).to.equal(`<a href="${href}">b</a>`);
    for (const href of ['//a', 'javascript:a', 'data:image/png;base64,AA==', 'ftp://a'])
      expect(safeHtml(`<a href="${href}">b</a>`), href).to.equal('<a>b</a>');
  });

  it('has images of the web, and inline images of pixel formats', () => {
    const png = 'data:image/png;base64,AA==';
    for (const src of ['http://a', 'https://a', '/a', 'x?data:a', png, 'DATA:IMAGE/PNG;base64,AA=='])
      expect(safeHtml(`<img src="${src}">`), src).to.equal(`<img src="${src}" />`);
    const refused = ['//a', 'mailto:a', `${png},`, `data:text/html;${png}`, `DATA:text/html,a`, ' da\tta:text/html,a'];
    for (const src of refused) expect(safeHtml(`a<img src="${src}" alt="b">`), src).to.equal('a');
    for (const html of ['a<img alt="b">', 'a<img src>', 'a<img src="">']) expect(safeHtml(html)).to.equal('a');
  });

  it('has disabled checkboxes of lists, and no other input', () => {
    const box = '<input type="checkbox" disabled />';
    expect(safeHtml('<input type="checkbox" name="a" onclick="b">')).to.equal(box);
    expect(safeHtml('<input type="checkbox" checked="a">')).to.equal('<input type="checkbox" checked disabled />');
    expect(safeHtml('a<input type="text"><input type="submit">')).to.equal('a');
  });

  it('is not changed if it is preformatted text, however much of it was escaped', () => {
    const html = preformatted('<'.repeat(limits.htmlMarksMax + 1));
    expect(safeHtml(html)).to.equal(html);
    for (const disguised of ['<b onclick="a">b</b><pre>c</pre>', '<pre>a</pre><b onclick="a">b</b>'])
      expect(safeHtml(disguised)).to.equal(disguised.replace(' onclick="a"', ''));
  });

  it('is preformatted text if sanitising takes too long', () => {
    const entities = '&amp;'.repeat(limits.htmlMarksMax);
    expect(safeHtml(entities)).to.equal(entities);
    expect(safeHtml(`${entities}&amp;`)).to.equal(preformatted(`${entities}&amp;`));
  });
});

describe('Markdown and HTML [D7.comment-html]', () => {
  it('are distinguished by the beginning of the text', () => {
    expect(htmlOf(' \n<P>*a*')).to.equal(' \n<P>*a*');
    for (const [text, html] of [
      ['a\n<p>*b*</p>', '<p>a</p>\n<p>*b*</p>'],
      ['<pa>*b*', '<p>&lt;pa><em>b</em></p>'],
      ['<b>*b*</b>', '<p><b><em>b</em></b></p>'],
    ] as const)
      expect(htmlOf(text)).to.equal(html);
  });

  it('are preformatted text if they are too long, or would take a parser too long', () => {
    expect(htmlOf('aa', 2)).to.equal('<p>aa</p>');
    expect(htmlOf('aaa', 2)).to.equal('<pre>aaa</pre>');
    const brackets = '['.repeat(1001);
    const nested = `${'- '.repeat(60)}x`;
    for (const text of [brackets, nested]) expect(htmlOf(text)).to.equal(preformatted(text));
  });
});

describe('Markdown that exceeds the stack [A.hostile.patterns]', () => {
  it('is preformatted text', () => {
    // Each line continues the item before it: no line has too many markers, and all together are nested deeply.
    const lines = Array.from({ length: 6 }, (_, at) => `${' '.repeat(at * 198)}${'+ '.repeat(99)}a\n`).join('');
    const module = JSON.stringify(new URL('../../src/domain/text/comment-html.ts', import.meta.url));
    const script = `import { htmlOf } from ${module}; console.log(htmlOf(${JSON.stringify(lines)}))`;
    const argv = ['--stack-size=200', '--input-type=module', '--eval', script];
    expect(execFileSync(process.execPath, argv, { encoding: 'utf8' })).to.equal(`${preformatted(lines)}\n`);
  });
});

describe('Emphasis [A.hostile.patterns]', () => {
  const isEmphasis = (text: string): boolean => shown(text).includes('<em>');
  const escapes = (count: number): string => '\\_ '.repeat(count);

  it('is recognised over a thousand characters', () => {
    expect(isEmphasis(`*${'a'.repeat(998)}* b`)).to.equal(true);
    expect(isEmphasis(`*${'a'.repeat(999)}* b`)).to.equal(false);
    expect(isEmphasis(`*${'a'.repeat(1100)}* ${escapes(60)}`)).to.equal(false);
    const close = `*a ${escapes(48)}`;
    expect(isEmphasis(`${close}${'a'.repeat(999 - close.length)}* b`)).to.equal(true);
    expect(isEmphasis(`${close}${'a'.repeat(1000 - close.length)}* b`)).to.equal(false);
    expect(shown(`~~${'a'.repeat(999)}~~`)).not.to.include('<del>');
  });

  it('is recognised across fifty delimiters, counted from its own beginning', () => {
    expect(isEmphasis(`*a ${escapes(48)}b* c`)).to.equal(true);
    expect(isEmphasis(`*a ${escapes(49)}b* c`)).to.equal(false);
    expect(isEmphasis(`*a ${escapes(100)} *a ${escapes(60)}b* c`)).to.equal(false);
  });

  it('does not end within code', () => {
    expect(shown('*a `b*` c* d')).to.equal('<p><em>a <code>b*</code> c</em> d</p>');
  });
});

describe('The text of safe HTML', () => {
  it('has its entities decoded, also one at the end of the text', () => {
    expect(textOf('<p>a &lt;b&gt; &amp</p>&amp')).to.equal('a <b> &&');
  });

  it('is read only as far as needed', () => {
    const piece = 64 * 1024;
    expect(textOf('a'.repeat(3 * piece), 10)).to.have.length(piece);
    expect(textOf('a'.repeat(3 * piece), piece)).to.have.length(piece);
    expect(textOf('a'.repeat(3 * piece), piece + 1)).to.have.length(2 * piece);
  });

  it('is not blank if it contains a picture', () => {
    expect(isBlank(shown('![](/a)'))).to.equal(false);
    expect(isBlank(shown('<img alt="src=" src="">'))).to.equal(true);
  });
});
