import { expect } from 'chai';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { guardedPage } from '../../src/domain/text/guarded-page.ts';
import { limits } from '../../src/base/limits.ts';
import { TestService } from '../support/service.ts';

describe('The page of an artifact [D6.render]', function () {
  this.timeout(60_000);
  let service: TestService;
  let project: string;

  before(async () => {
    service = await TestService.start();
    project = await service.project();
  });
  after(() => service.stop());

  const make = async (path: string, body: object): Promise<Record<string, string>> => {
    const made = await service.rest.post(`/projects/${project}/${path}`, body);
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    return made.body as Record<string, string>;
  };
  const artifact = async (content: string, more: object = {}): Promise<string> =>
    (await make('artifacts', { title: 'Page', kind: 'html', content, ...more }))['id']!;
  const page = async (id: string, query = ''): Promise<string> =>
    (await fetch(`${service.url}/api/v1/artifacts/${id}/render${query}`)).text();
  /** The page of an HTML artifact with this content, without the guard. */
  const rendered = async (content: string, more: object = {}): Promise<string> =>
    (await page(await artifact(content, more))).slice(guardedPage('').length);
  const image = (bytes: Buffer, mime = 'image/png'): Promise<Record<string, string>> =>
    make('files', { filename: 'a.png', mime, content_base64: bytes.toString('base64') });
  const link = (name: string): string => `<a href="planner://artifact/${name}">x</a>`;
  const linkTo = (id: string): string => `<a href="/api/v1/artifacts/${id}/render">x</a>`;

  it('of Markdown is a whole page with a style of its own', async () => {
    const id = await artifact('*a* <script>b</script>', { kind: 'markdown', title: 'A <b>' });
    const text = await page(id);
    expect(text).to.match(
      /^<!doctype html>\n<html lang="">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<title>A &lt;b&gt;<\/title>\n<style>body\{/,
    );
    expect(text).to.match(/<\/style>\n<\/head>\n<body>\n<p><em>a<\/em> <\/p>\n<\/body>\n<\/html>\n$/);
    for (const [query, script] of [
      ['?embed=true', true],
      ['?embed=false', false],
    ] as const)
      expect((await page(id, query)).includes('<script>'), query).to.equal(script);
  });

  it('links to screens by id, else by title, of the same prototype first', async () => {
    const [{ id: own }, { id: other }] = [
      await make('prototypes', { name: 'Own', viewport: { width: 9, height: 9 } }),
      await make('prototypes', { name: 'Other', viewport: { width: 9, height: 9 } }),
    ];
    const screen = (title: string, prototype: string | undefined): Promise<string> =>
      artifact('', { title, prototype_id: prototype });
    const [first, second] = [await screen('In both', other), await screen('In both', own)];
    const [third] = [await screen('Own first', own), await screen('Own first', other), await screen('Own first', own)];
    const [fourth] = [await screen('Elsewhere', other), await screen('Elsewhere', undefined)];
    const names = [first, 'In%20both', 'Own%20first', 'Elsewhere', 'None'];
    expect(await rendered(names.map(link).join(''), { prototype_id: own })).to.equal(
      [...[first, second, third, fourth].map(linkTo), link('None')].join(''),
    );
    // An id takes precedence over another screen's title.
    await screen(second, own);
    const both = link(second) + link('Own%20first');
    expect(await rendered(both, { prototype_id: own })).to.equal(linkTo(second) + linkTo(third));
  });

  it('inlines the images of the project, next to links to its screens', async () => {
    const bytes = Buffer.from('an image');
    const { id, url } = await image(bytes);
    const data = `data:image/png;base64,${bytes.toString('base64')}`;
    const { url: text } = await make('files', { filename: 'a', mime: 'text/plain', content_base64: 'QQ==' });
    const target = await artifact('');
    const missing = '/api/v1/files/fil_none';
    expect(await rendered(`<img src="${url}">`)).to.equal(`<img src="${data}">`);
    // The text is not Markdown, in which this would be code.
    expect(await rendered(`\n    <img src="${url}">`)).to.equal(`\n    <img src="${data}">`);
    expect(await rendered(`<img src="${url}">${link(target)}`)).to.equal(`<img src="${data}">${linkTo(target)}`);
    const others = `<img src="${text}"><img src="${missing}">`;
    expect(await rendered(`${others}<img src="${url}">`)).to.equal(`${others}<img src="${data}">`);
    expect(await page(await artifact(`![a](${url})`, { kind: 'markdown' }))).to.include(`src="${data}"`);
    expect(id).to.match(/^fil_/);
  });

  it('references an image that is too large, or whose bytes are missing, by its URL', async () => {
    const original = limits.renderedImagesBytesMax;
    const [small, large] = [await image(Buffer.alloc(90, 1)), await image(Buffer.alloc(5000, 2))];
    const content = `<img src="${large['url']}"><img src="${small['url']}">`;
    try {
      Object.assign(limits, { renderedImagesBytesMax: 4999 });
      expect(await rendered(content)).to.match(
        /^<img src="\/api\/v1\/files\/\w+"><img src="data:image\/png;base64,AQEB/,
      );
    } finally {
      Object.assign(limits, { renderedImagesBytesMax: original });
    }
    expect((await rendered(content)).match(/data:image/g)).to.have.length(2);
    const files = readdirSync(service.root, { recursive: true, encoding: 'utf8' }).map((path) =>
      join(service.root, path),
    );
    const lost = files.filter((path) => statSync(path).isFile() && statSync(path).size === 5000);
    expect(lost).not.to.deep.equal([]);
    for (const path of lost) rmSync(path);
    expect((await rendered(content)).match(/data:image/g)).to.have.length(1);
  });
});
