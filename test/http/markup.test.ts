import { expect } from 'chai';
import { escape, Html, markup } from '../../src/http/markup.ts';

describe('The markup template tag [A.hostile.html]', () => {
  it('escapes strings, in elements and in attributes', () => {
    const text = `a<b>&"'&amp;`;
    expect(escape(text)).to.equal('a&lt;b&gt;&amp;&quot;&#39;&amp;amp;');
    expect(markup`<a title="${text}">${text}</a>`.text).to.equal(`<a title="${escape(text)}">${escape(text)}</a>`);
  });

  it('accepts HTML, lists of it, numbers, null and undefined', () => {
    const item = new Html('<li>');
    expect(markup`${item}|${[item, item]}|${[]}|${0}|${null}|${undefined}|`.text).to.equal('<li>|<li>\n<li>||0|||');
  });
});
