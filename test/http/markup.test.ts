import { expect } from 'chai';
import { Html, markup } from '../../src/http/markup.ts';

describe('The markup of a page', () => {
  it('escapes texts, and takes HTML, lists of it and nothing as they are', () => {
    const { text } =
      markup`<p title="${`a"b'c`}">${'<i>&'}${5}</p>${null}${undefined}${new Html('<hr>')}${[markup`<a>`, markup`<b>`]}`;
    expect(text).to.equal('<p title="a&quot;b&#39;c">&lt;i&gt;&amp;5</p><hr><a>\n<b>');
    expect(markup`plain`.text).to.equal('plain');
  });
});
