import { expect } from 'chai';
import { withArtifactUrls } from '../../src/domain/text/artifact-urls.ts';
import { fileIdOf, screenLinkOf } from '../../src/domain/text/file-url.ts';
import { attributesWithUrls, withHtmlUrls } from '../../src/domain/text/html-urls.ts';
import { shareRewrite } from '../../src/domain/text/share-rewrite.ts';
import { namedByUrls } from '../../src/domain/text/text-urls.ts';
import { limits } from '../../src/base/limits.ts';

const baseUrl = 'https://plan.example.org';

/** Runs with other limits and restores them. */
function withLimits(others: Partial<Record<keyof typeof limits, number>>, run: () => void): void {
  const original = { ...limits };
  Object.assign(limits, others);
  try {
    run();
  } finally {
    Object.assign(limits, original);
  }
}

describe('The URL of a file', () => {
  it('is relative or of the service itself, without encoding tricks [D8.files]', () => {
    for (const url of ['/api/v1/files/fil_1', 'api/v1/files/fil_1', `${baseUrl}/api/v1/files/fil_1?x#y`])
      expect(fileIdOf(url, baseUrl), url).to.equal('fil_1');
    for (const url of [
      'https://other.example/api/v1/files/fil_1',
      '//other.example/api/v1/files/fil_1',
      '/x/api/v1/files/fil_1',
      '/api/v1/files/fil_1/x',
      '/api/v1/files/',
      `/api/v1/files/${'a'.repeat(65)}`,
      '/api/v1/files/fil%2f1',
      '/api/v1/./files/fil_1',
      'http://[/api/v1/files/fil_1',
    ])
      expect(fileIdOf(url, baseUrl), url).to.equal(undefined);
    expect(fileIdOf(`/api/v1/files/${'a'.repeat(64)}`, baseUrl)).to.have.length(64);
  });
});

describe('The link to a screen', () => {
  it('names it by id or title, with a fragment [D6.screen-links]', () => {
    expect(screenLinkOf('planner://artifact/art_1')).to.deep.equal({ name: 'art_1', fragment: '' });
    expect(screenLinkOf('PLANNER://artifact/The%20end#a#b')).to.deep.equal({ name: 'The end', fragment: '#a#b' });
    expect(screenLinkOf('planner://artifact/50%')).to.deep.equal({ name: '50%', fragment: '' });
    for (const url of ['xplanner://artifact/a', 'planner://artifact/a?b', 'planner://artifact/', 'planner://task/a'])
      expect(screenLinkOf(url), url).to.equal(undefined);
  });
});

describe('The URLs in HTML', () => {
  it('are those of attributes that contain one, in any notation [D6.render]', () => {
    for (const name of ['src', 'href', 'poster', 'action', 'formaction', 'cite', 'background', 'xlink:href', 'SRC'])
      expect(
        withHtmlUrls(`<x ${name}="a">`, () => 'b'),
        name,
      ).to.equal(`<x ${name}="b">`);
    for (const name of ['srcset', 'imagesrcset'])
      expect(
        withHtmlUrls(`<x ${name}="a 1x, a, a 2x">`, () => 'b'),
        name,
      ).to.equal(`<x ${name}="b 1x, b, b 2x">`);
    expect(withHtmlUrls('<OBJECT data=a></OBJECT><x data=a>', () => 'b')).to.equal(
      '<OBJECT data="b"></OBJECT><x data=a>',
    );
    for (const html of [
      '<x title="a">',
      '<object title="a">',
      '<x src>',
      '<x src="a',
      '<x src="">',
      '<x src="  ">',
      "<!-- <x src='a'> -->",
    ])
      expect(attributesWithUrls(html), html).to.deep.equal([]);
    expect(attributesWithUrls('<a href = "x&amp;y" cite=z>')).to.deep.equal([
      { start: 11, end: 18, value: 'x&y', isSet: false, isQuoted: true },
      { start: 25, end: 26, value: 'z', isSet: false, isQuoted: false },
    ]);
  });

  it('are replaced within their quotes, which they cannot leave [D6.render, A.trust.html]', () => {
    const replaced = (html: string): string => withHtmlUrls(html, (url) => `${url}?"'&`);
    expect(replaced('<a href=" x ">')).to.equal('<a href="x?&quot;&#39;&amp;">');
    expect(replaced("<a href='x'>")).to.equal("<a href='x?&quot;&#39;&amp;'>");
    expect(replaced('<a href=x b>')).to.equal('<a href="x?&quot;&#39;&amp;" b>');
    // A no-break space is not HTML white space: here it begins the value.
    expect(withHtmlUrls('<a href=\u00a0x b>', () => 'y z')).to.equal('<a href="y z" b>');
    expect(withHtmlUrls('<a href=\u00a0"x" b>', () => 'y z')).to.equal('<a href="y z" b>');
  });

  it('leave all other text unchanged [D6.render]', () => {
    const html = `<a href=" &#120; " cite=' &#120;'><img srcset=" &#120; 1x,&#121; ">`;
    expect(withHtmlUrls(html, (url) => url)).to.equal(html);
  });
});

describe('The references in the URLs of a text', () => {
  const file = (at: number): string => `/api/v1/files/fil_${at}`;

  it('are files and screens, each once, in HTML and in Markdown [D6.render, D8.files]', () => {
    const html =
      `<img src=" ${file(1)} "><img srcset="${file(2)} 1x,${file(3)} 2x"><img src="${file(1)}">` +
      '<a href="planner://artifact/A#x"></a><a href="planner://artifact/A"></a>';
    const named = { files: ['fil_1', 'fil_2', 'fil_3'], screens: ['A'] };
    expect(namedByUrls(html, { kind: 'html', baseUrl })).to.deep.equal(named);
    expect(namedByUrls(`x\n\n${html}`, { kind: 'markdown', baseUrl })).to.deep.equal(named);
    const markdown = `[a](planner://artifact/A) ![b](${file(1)}) ![c](${file(2)})\n\n[d]: ${file(3)}`;
    expect(namedByUrls(markdown, { kind: 'markdown', baseUrl })).to.deep.equal(named);
    const none = { files: [], screens: [] };
    expect(namedByUrls(markdown, { kind: 'html', baseUrl })).to.deep.equal(none);
    const other = `<a href="x ${file(1)}">`;
    for (const kind of ['html', 'markdown'] as const) expect(namedByUrls(other, { kind, baseUrl })).to.deep.equal(none);
  });

  it('are limited in number and length [A.hostile.rendering]', () => {
    const longest = 'a'.repeat(limits.nameCharactersMax);
    const html = [longest, `${longest}a`].map((name) => `<a href="planner://artifact/${name}"></a>`).join('');
    expect(namedByUrls(html, { kind: 'html', baseUrl }).screens).to.deep.equal([longest]);
    withLimits({ namedByUrlsMax: 5 }, () => {
      const many = [1, 2, 3, 4, 5, 6].map((at) => `<img src="${file(at)}"><a href="planner://artifact/${at}"></a>`);
      expect(namedByUrls(many.join(''), { kind: 'html', baseUrl })).to.deep.equal({
        files: ['fil_1', 'fil_2', 'fil_3'],
        screens: ['1', '2'],
      });
    });
  });
});

describe('The URLs of an artifact', () => {
  it('become addresses of screens and images, and no others [D6.render, D6.screen-links]', () => {
    const urls = { baseUrl, screens: { A: 'art_1' }, images: { fil_1: 'data:image/png;base64,AA==' } };
    const rewritten = (url: string): string => withArtifactUrls(`<x src="${url}">`, urls).slice(8, -2);
    expect(rewritten('planner://artifact/A#top')).to.equal('/api/v1/artifacts/art_1/render#top');
    expect(rewritten('/api/v1/files/fil_1')).to.equal('data:image/png;base64,AA==');
    for (const url of ['planner://artifact/constructor', '/api/v1/files/constructor', '/api/v1/files/fil_2', 'x', '#x'])
      expect(rewritten(url)).to.equal(url);
  });

  it('inline images up to the size limit, counting each use [A.hostile.rendering]', () => {
    withLimits({ renderedImagesBytesMax: 30 }, () => {
      const images = { exact: 'x'.repeat(40), half: 'y'.repeat(20), over: 'z'.repeat(41) };
      const shown = (...ids: string[]): string[] => {
        const html = ids.map((id) => `<x src="/api/v1/files/${id}">`).join('');
        const made = withArtifactUrls(html, { baseUrl, screens: {}, images });
        return [...made.matchAll(/src="(.)/g)].map(([, first]) => first!);
      };
      expect(shown('exact', 'half')).to.deep.equal(['x', '/']);
      expect(shown('over', 'half', 'half', 'half')).to.deep.equal(['/', 'y', 'y', '/']);
    });
  });
});

describe('The URLs of a shared text', () => {
  it('are absolute, and those of its files and screens are addressed with its token [D8.absolute, D8.files]', () => {
    const rewrite = shareRewrite({ baseUrl, token: 'TOKEN', files: ['fil_1'], screens: { A: 'art_1' } });
    for (const [url, written] of [
      ['', ''],
      ['#part', `${baseUrl}/api/v1/share/TOKEN.md#part`],
      ['x#', `${baseUrl}/x#`],
      ['planner://artifact/A#top', `${baseUrl}/s/TOKEN/screens/art_1#top`],
      ['planner://artifact/constructor', 'planner://artifact/constructor'],
      ['/api/v1/files/fil_1', `${baseUrl}/api/v1/share/TOKEN/files/fil_1`],
      ['/api/v1/files/fil_2', `${baseUrl}/api/v1/files/fil_2`],
      ['a/../b', `${baseUrl}/b`],
      ['//other.example', 'https://other.example/'],
      ['HTTPS://other.example/a/../b', 'HTTPS://other.example/a/../b'],
      ['http://[', 'http://['],
    ] as const)
      expect(rewrite(url), url).to.equal(written);
    const withoutScreens = shareRewrite({ baseUrl, token: 'TOKEN', files: [] });
    expect(withoutScreens('planner://artifact/A')).to.equal('planner://artifact/A');
  });
});
