import { expect } from 'chai';
import type { Shape } from '../../../src/store/record/collection.ts';
import { decode, encode, patch } from '../../../src/store/files/codec/codec.ts';
import { htmlTitle } from '../../../src/store/files/codec/html-title.ts';
import { renderFields } from '../../../src/store/files/checkpoint/render.ts';
import { shapeAt, shapeOf } from '../../../src/store/record/shapes.ts';
import { withoutId } from '../../../src/store/files/edits/without-id.ts';
import { nastyBody, nastyJson, nastyText, seed } from '../../support/nasty-texts.ts';
import { Random, roundsOf } from '../../support/random.ts';
import { field } from '../../support/shapes.ts';

type Fields = Record<string, unknown>;

/** Pages of Markdown, and pages of kind html, which are files of their own format. */
const shape: Shape = {
  format: 'markdown',
  body: 'content',
  fields: [
    field('id'),
    field('kind', 'text', 'markdown'),
    field('created_at'),
    field('owner'),
    field('title', 'text', '', true),
    field('extra', 'json'),
    field('tags', 'texts', []),
    field('links', 'links', []),
  ],
  alternative: { field: 'kind', value: 'html', format: 'html' },
};
const html = shapeAt(shape, 'page.html');

const page: Fields = {
  id: 'art_abcdef0123456789',
  kind: 'html',
  created_at: '2026-01-02T03:04:05.678Z',
  owner: null,
  title: 'A --> B <!-- and --!> C',
  extra: { x: 1 },
  tags: ['b', 'a'],
  links: [{ to: 'tsk_b', label: 'shows', id: 'edg_1', type: 'task' }],
  content: '<!doctype html>\n<p>Hi</p>\n',
};

function read(text: string | Buffer): Fields {
  const decoded = decode(html, Buffer.from(text));
  if (!decoded.ok) throw new Error(`line ${decoded.line}: ${decoded.reason}`);
  return decoded.fields;
}

function problem(text: string, of = html): { line: number; reason: string; id?: string } {
  const decoded = decode(of, Buffer.from(text));
  if (decoded.ok) throw new Error('It was read.');
  return decoded;
}

describe('HTML files with a record', () => {
  it('contain it in the first line, and the content after it [A.format.html]', () => {
    const text = encode(html, page).toString();
    expect(text.split('\n')[0]).to.match(/^<!-- planner \{.*\} -->$/);
    expect(text.slice(text.indexOf('\n') + 1)).to.equal('<!doctype html>\n<p>Hi</p>\n\n');
    expect(text.split('\n')[0]!.slice(4, -3)).to.not.match(/-->|--!>|<!--/);
    expect(text).to.not.contain('"kind"');
    const { owner: _, ...written } = page;
    expect(read(text)).to.deep.equal({ ...written, tags: ['a', 'b'] });
  });

  it('have the kind of their extension, and a file that contradicts it is a problem [A.format.html]', () => {
    expect(shapeOf(shape, page)).to.equal(html);
    expect(shapeOf(shape, { kind: 'markdown' })).to.equal(shape);
    expect(read('<p>dropped</p>\n')).to.deep.equal({ kind: 'html', content: '<p>dropped</p>' });
    expect(problem('---\nkind: html\n---\n<p>', shape).reason).to.equal(
      'kind: html is for files that end in .html: rename the file, or change the field.',
    );
    expect(problem('<!-- planner {"kind": "markdown"} -->\n<p>').reason).to.contain('files that end in .md');
  });

  it('read back any content exactly, whatever the person or the agent wrote [A.format.html, A.format.bytes]', () => {
    const random = new Random(seed);
    const contents = [
      '',
      '\n',
      '\r\n',
      'a\r',
      '\ufeff<p>',
      '<!-- planner {"id":"x"} -->\n',
      '--> -->',
      '---\nid: x\n---\n',
    ];
    for (let round = 0; round < roundsOf(300); round++) contents.push(nastyBody(random));
    for (const content of contents) {
      const title = nastyText(random);
      const record = { ...page, title, extra: nastyJson(random), content };
      const written = encode(html, record);
      const back = read(written);
      expect(back['content'], JSON.stringify(content)).to.equal(content.toWellFormed());
      expect(back['title']).to.equal(title);
      expect(encode(html, { ...record, ...back })).to.deep.equal(written);
      for (const base of [
        written,
        Buffer.from('<p>a person wrote this</p>\r\n'),
        Buffer.from('<!-- planner {"x": [1]} --><p>'),
      ]) {
        const present = read(base);
        const patched = patch(html, base, { ...present }, record);
        expect(read(patched)['content']).to.equal(content.toWellFormed());
      }
    }
  });

  it('keep unknown members and every byte that need not change [A.format.keeps]', () => {
    const hand =
      '\ufeff<!-- planner {"title":"Old",  "mine": {"a": 1}, "id": "art_1"} -->\r\n<p>one</p>\r\n<p>two</p>\r\n';
    const before = { ...read(hand) };
    const same = patch(html, Buffer.from(hand), before, before);
    expect(same.toString()).to.equal(hand);
    const retitled = patch(html, Buffer.from(hand), before, { ...before, title: 'New' }).toString();
    expect(retitled).to.equal(
      '\ufeff<!-- planner {"title": "New", "mine": {"a":1}, "id": "art_1"} -->\r\n<p>one</p>\r\n<p>two</p>\r\n',
    );
    const rewritten = patch(html, Buffer.from(hand), before, { ...before, content: '<p>three</p>' }).toString();
    expect(rewritten).to.equal(
      '\ufeff<!-- planner {"title":"Old",  "mine": {"a": 1}, "id": "art_1"} -->\r\n<p>three</p>\r\n',
    );
    const dropped = patch(html, Buffer.from('<p>x</p>'), read('<p>x</p>'), {
      ...read('<p>x</p>'),
      id: 'art_2',
      title: 'T',
    });
    expect(dropped.toString()).to.equal('<!-- planner {"id": "art_2", "title": "T"} -->\n<p>x</p>');
  });

  it('become Markdown and back with their unknown members [A.format.html, A.format.keeps]', () => {
    const hand = '<!-- planner {"id":"art_1","title":"T","mine":{"a":[1,"x"]}} -->\n<p>one</p>\n';
    const before = read(hand);
    const markdown = renderFields(
      shape,
      'abcdef',
      'art_1',
      { ...before, kind: 'markdown' },
      { bytes: Buffer.from(hand), path: 'a.html' },
    );
    expect(markdown.toString()).to.equal('---\nid: art_1\ntitle: T\nmine: {a: [1, x]}\n---\n<p>one</p>\n');
    const back = renderFields(shape, 'abcdef', 'art_1', before, { bytes: markdown, path: 'a.md' });
    expect(back.toString()).to.equal(
      '<!-- planner {"id": "art_1", "title": "T", "mine": {"a":[1,"x"]}} -->\n<p>one</p>\n',
    );
  });

  it('with an invalid line or conflict markers are listed with line and reason [A.edit.unreadable]', () => {
    expect(problem('<!-- planner {"id": "art_1"\n<p>')).to.include({ line: 1, id: 'art_1' });
    expect(problem('<!-- planner {"id": "art_1", } -->\n<p>').reason).to.match(/not JSON/);
    expect(problem('<!-- planner {"id": "art_1", "title": 5} -->\n<p>').reason).to.match(
      /title must be text in quotes/,
    );
    const conflict = '<!-- planner {"id":"art_1"} -->\n<p>\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n';
    expect(problem(conflict)).to.include({ line: 3, id: 'art_1' });
    const inLine = `<<<<<<< ours\n<!-- planner {"id":"art_1"} -->\n=======\n<!-- planner {"id":"art_1","title":"x"} -->\n>>>>>>> theirs\n<p>`;
    expect(problem(inLine)).to.include({ line: 1, id: 'art_1' });
    const explained = { ...page, content: '<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n' };
    expect(read(encode(html, explained))['content']).to.equal(explained.content);
  });

  it('lose only their id if a copy is to get its own [A.edit.two-ids]', () => {
    const bare = withoutId(html, Buffer.from('<!-- planner {"id":"art_1","title":"T"} -->\n<p>one</p>\n'));
    expect(bare?.toString()).to.equal('<!-- planner {"title":"T"} -->\n<p>one</p>\n');
    expect(withoutId(html, Buffer.from('<p>one</p>\n'))).to.equal(undefined);
  });

  it('get their name from their title [A.format.title]', () => {
    expect(htmlTitle('<html><head><TITLE>A &amp; <b>B</title>')).to.equal('A & <b>B');
    expect(htmlTitle('<svg><title>drawing</title></svg><title>Page</title><title>Other</title>')).to.equal('Page');
    expect(htmlTitle('<p>none</p>')).to.equal('');
  });
});
