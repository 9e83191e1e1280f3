import { expect } from 'chai';
import type { Shape } from '../../../src/store/record/collection.ts';
import { decode, encode, patch } from '../../../src/store/files/codec/codec.ts';
import { nastyBody, nastyJson, nastyText, seed } from '../../support/nasty-texts.ts';
import { Random, roundsOf } from '../../support/random.ts';
import { canvasShape, documentShape, taskShape, withTerms } from '../../support/shapes.ts';

type Fields = Record<string, unknown>;

/** The fields of a file, including absent ones. */
function held(shape: Shape, source: string): Fields {
  const decoded = decode(shape, Buffer.from(source));
  if (!decoded.ok) throw new Error(`line ${decoded.line}: ${decoded.reason}\n${source}`);
  const fields: Fields = shape.body === undefined ? {} : { [shape.body]: '' };
  for (const { name, absent } of shape.fields) fields[name] = absent;
  for (const [name, value] of Object.entries(decoded.fields)) if (value !== null) fields[name] = value;
  return fields;
}

function patched(shape: Shape, source: string, changes: Fields): string {
  const before = held(shape, source);
  return patch(shape, Buffer.from(source), before, { ...before, ...changes }).toString();
}

const byHand = `---
# The plan of the week
title:   'Release 2'   # the working title
"id": doc_1
cover: {src: "x.png", alt: [a, b]}   # ours
status: >-
  two
  lines

tags: &none [x]
position:
  x: 1     # from the left
  y: 2.50
links:
  # first things first
  - {to: tsk_a,  label: b}   # keep me
  - to: tsk_b
    label: c
    mine: yes
  - tsk_c
---

Body.
`.replace('tags: &none [x]', 'tags: [x]');

describe('Changing a Markdown file that a person wrote [A.format.keeps]', () => {
  it('replaces only the value, in its quotes', () => {
    expect(patched(documentShape, byHand, { title: "It's done" })).to.equal(
      byHand.replace("'Release 2'", "'It''s done'"),
    );
    expect(patched(documentShape, byHand, { id: 'doc_2' })).to.equal(byHand.replace('doc_1', 'doc_2'));
    expect(patched(documentShape, byHand, { status: 'three\n\nlines' })).to.equal(
      byHand.replace('>-\n  two\n  lines\n', '|-\n  three\n\n  lines\n'),
    );
    expect(patched(documentShape, byHand, { status: 'one' })).to.equal(byHand.replace('>-\n  two\n  lines\n', 'one\n'));
    const quoted = '---\ntitle: "a"\nid: x # y\n---\n';
    expect(patched(documentShape, quoted, { title: 'b\nc', id: '12' })).to.equal(
      '---\ntitle: "b\\nc"\nid: "12" # y\n---\n',
    );
  });

  it('changes a member of a map if its keys stay, else the map as a whole', () => {
    expect(patched(documentShape, byHand, { position: { x: 7, y: 2.5 } })).to.equal(byHand.replace('x: 1 ', 'x: 7 '));
    expect(patched(documentShape, byHand, { position: { x: 7 } })).to.equal(
      byHand.replace('position:\n  x: 1     # from the left\n  y: 2.50', 'position: {x: 7}'),
    );
    const flow = '---\nposition: {"x": 1,y: 2} # here\n---\n';
    expect(patched(documentShape, flow, { position: { x: 1, y: 3 } })).to.equal(flow.replace('2', '3'));
  });

  it("removes the lines of a key and inserts new ones in the shape's order", () => {
    expect(patched(documentShape, byHand, { position: null })).to.equal(byHand.replace(/position:\n.*\n.*\n/, ''));
    expect(patched(documentShape, byHand, { status: null, links: [] })).to.equal(
      byHand.replace(/status: >-\n.*\n.*\n/, '').replace(/links:\n(?: .*\n)*/, ''),
    );
    expect(patched(documentShape, byHand, { created_at: '2026-01-01T00:00:00.000Z' })).to.equal(
      byHand.replace('working title\n', 'working title\ncreated_at: 2026-01-01T00:00:00.000Z\n'),
    );
    expect(patched(documentShape, '---\ncover: x\n# end\n---\nb', { title: 'A', id: 'x' })).to.equal(
      '---\ncover: x\n# end\nid: x\ntitle: A\n---\nb',
    );
    expect(patched(documentShape, '---\n# only this\n---\nb', { title: 'A' })).to.equal(
      '---\n# only this\ntitle: A\n---\nb',
    );
    expect(patched(documentShape, '---\n---\nb', { title: 'A' })).to.equal('---\ntitle: A\n---\nb');
  });

  it('fills in a key without a value on its line', () => {
    const text = '---\ntitle: # soon\nstatus:\nposition: ~\nlinks: # none yet\n---\n';
    expect(
      patched(documentShape, text, { title: 'A', status: 'b', position: { x: 1 }, links: [{ to: 'a' }] }),
    ).to.equal('---\ntitle: A # soon\nstatus: b\nposition: {x: 1}\nlinks: [{to: a}] # none yet\n---\n');
  });

  it('changes links one by one and keeps the spelling of the others', () => {
    const links = (changes: Fields[]): string => patched(documentShape, byHand, { links: changes });
    const all = held(documentShape, byHand)['links'] as Fields[];
    expect(links([...all, { to: 'tsk_d' }])).to.equal(byHand.replace('  - tsk_c\n', '  - tsk_c\n  - {to: tsk_d}\n'));
    expect(links(all.slice(0, 2))).to.equal(byHand.replace('  - tsk_c\n', ''));
    expect(links([all[0]!, all[2]!])).to.equal(byHand.replace('  - to: tsk_b\n    label: c\n    mine: yes\n', ''));
    expect(links([{ ...all[0], style: 'dashed' }, ...all.slice(1)])).to.equal(
      byHand.replace('{to: tsk_a,  label: b}', '{to: tsk_a, label: b, style: dashed}'),
    );
    expect(links([...all].reverse())).to.equal(byHand);
  });

  it('changes tags one by one, in a block or between brackets', () => {
    const block = '---\ntags:\n- b   # second\n- "d"\n- e\n---\n';
    expect(patched(taskShape, block, { tags: ['b', 'c', 'd', 'e'] })).to.equal(block.replace('- "d"', '- c\n- "d"'));
    expect(patched(taskShape, block, { tags: ['a', 'e', 'f'] })).to.equal('---\ntags:\n- a\n- e\n- f\n---\n');
    const flow = '---\ntags: [ z, "b", c ] # mine\n---\n';
    expect(patched(taskShape, flow, { tags: ['z', 'b', 'c', 'a, b'] })).to.equal(flow.replace('c ]', 'c, "a, b" ]'));
    expect(patched(taskShape, flow, { tags: ['b', 'n'] })).to.equal('---\ntags: [ "b", n ] # mine\n---\n');
    expect(patched(taskShape, '---\ntags: api\n---\n', { tags: ['api', 'b'] })).to.equal('---\ntags: [api, b]\n---\n');
    expect(patched(taskShape, '---\ntags: []\n---\n', { tags: ['b'] })).to.equal('---\ntags: [b]\n---\n');
    expect(patched(taskShape, '---\ntags: [\n  a, # one\n  b\n]\n---\n', { tags: ['a', 'b', 'c'] })).to.equal(
      '---\ntags: [\n  a, # one\n  b, c\n]\n---\n',
    );
    expect(patched(taskShape, '---\ntags:\n  - a\nid: x\n---\n', { tags: [] })).to.equal('---\nid: x\n---\n');
  });

  it('adds front matter only if something but the body is to be stored', () => {
    expect(patched(documentShape, '# Title\r\ntext\r\n', { body: '# Title\r\nother' })).to.equal(
      '# Title\r\nother\r\n',
    );
    expect(patched(documentShape, '# Title\r\ntext\r\n', { id: 'x' })).to.equal(
      '---\r\nid: x\r\n---\r\n# Title\r\ntext\r\n',
    );
    expect(patched(documentShape, 'text', { id: 'x' })).to.equal('---\nid: x\n---\ntext');
    // A body that would be taken for front matter needs some of its own before it.
    expect(patched(documentShape, 'text\n', { body: '---\nid: y\n---\n' })).to.equal('---\n---\n---\nid: y\n---\n\n');
  });

  it('keeps a final newline, or the lack of one', () => {
    expect(patched(documentShape, 'a\nb', { body: 'a\nc' })).to.equal('a\nc');
    expect(patched(documentShape, 'a\nb', { body: 'a\nc\n' })).to.equal('a\nc\n\n');
    expect(patched(documentShape, '---\nid: x\n---', { body: 'b' })).to.equal('---\nid: x\n---\nb\n');
    expect(patched(documentShape, '---\nid: x\n---\r\nb\n', { body: '' })).to.equal('---\nid: x\n---\r\n');
  });

  it('keeps CRLF line endings and the byte order mark', () => {
    const windows = `\ufeff${byHand.replaceAll('\n', '\r\n')}`;
    const changes = {
      title: 'New',
      created_at: 'now',
      status: 'a\nb',
      position: { x: 9, y: 2.5 },
      links: [{ to: 'tsk_a', label: 'b' }, { to: 'tsk_z' }],
    };
    const unix = patched(documentShape, byHand, changes);
    expect(patched(documentShape, windows, changes)).to.equal(`\ufeff${unix.replaceAll('\n', '\r\n')}`);
  });

  it('changes no byte if nothing changed, or if lists only change their order [A.format.unchanged]', () => {
    for (const text of [byHand, `\ufeff${byHand}`, 'text', '---\ntags: [b, a]\n---\n'])
      expect(patched(taskShape, text, {})).to.equal(text);
    expect(patched(taskShape, '---\ntags: [b, a]\n---\n', { tags: ['a', 'b'] })).to.equal('---\ntags: [b, a]\n---\n');
  });

  it('leaves explicit and absent ids and types of links unchanged', () => {
    const options = {
      omitLinkId: ({ id }: { id: string }) => id === 'derived',
      omitLinkType: ({ type }: { type: string }) => type === 'task',
    };
    const text = '---\ntitle: A\nlinks:\n  - {to: a, id: derived}\n  - {to: b}\n---\n';
    const before = held(documentShape, text);
    const links = [
      { to: 'a', id: 'derived', type: 'task' },
      { to: 'b', id: 'derived', type: 'task' },
    ];
    const after = { ...before, title: 'B', links };
    expect(patch(documentShape, Buffer.from(text), before, after, options).toString()).to.equal(text.replace('A', 'B'));
  });

  it('rewrites front matter that cannot be changed in place, and keeps unknown keys', () => {
    const flow = '---\n{title: A, cover: {src: x}, id: x}\n---\nbody\n';
    expect(patched(documentShape, flow, { title: 'B' })).to.equal('---\nid: x\ntitle: B\ncover: {src: x}\n---\nbody\n');
    const explicit = '---\n? title\n: A\ncover: x   # mine\n---\nbody\n';
    expect(patched(documentShape, explicit, { title: 'B' })).to.equal('---\ntitle: B\ncover: x   # mine\n---\nbody\n');
  });

  it('states the number of lines of the body that look like a conflict, as long as there are any', () => {
    const conflict = '<<<<<<< a\n=======\n>>>>>>> b\n';
    const plain = '---\nid: x # mine\n---\ntext\n';
    const explained = `---\nid: x # mine\nconflict_marker_lines: 2\n---\n${conflict}`;
    expect(patched(documentShape, plain, { body: conflict.trimEnd() })).to.equal(explained);
    expect(patched(documentShape, explained, { title: 'A' })).to.equal(explained.replace('mine\n', 'mine\ntitle: A\n'));
    expect(patched(documentShape, explained, { body: 'text' })).to.equal(plain);
  });

  it('keeps ignored parts byte for byte, until that very field is set [A.edit.foreign]', () => {
    const source =
      '---\nstatus: [a]   # mine\ncreated: {{date}}\ntitle: Plan: B\n  and more\nlinks: {a: 1}\ntags: x\ntags: y\nid: x\n---\nbody\n';
    expect(patched(documentShape, source, { body: 'text' })).to.equal(source.replace('body\n', 'text\n'));
    expect(patched(documentShape, source, { status: 'done' })).to.equal(source.replace('[a]', 'done'));
    expect(patched(documentShape, source, { title: 'Plan: B' })).to.equal(
      source.replace('title: Plan: B\n  and more', 'title: "Plan: B"'),
    );
    expect(patched(documentShape, source, { position: { x: 1, y: 2 } })).to.equal(
      source.replace('id: x\n', 'id: x\nposition: {x: 1, y: 2}\n'),
    );
    const flow = '---\n{id: x, status: [a], mine: {b: 1}}\n---\nbody\n';
    expect(patched(documentShape, flow, { title: 'A' })).to.equal(
      '---\nid: x\ntitle: A\nstatus: [a]\nmine: {b: 1}\n---\nbody\n',
    );
    const crlf = source.replaceAll('\n', '\r\n');
    expect(patched(documentShape, crlf, { title: 'T' })).to.equal(
      crlf.replace('title: Plan: B\r\n  and more', 'title: T'),
    );
    for (const text of ['---toml\na = 1\n---\nbody\n', '---\ntitle: open\nbody\n']) {
      expect(patched(documentShape, text, { status: 'new' })).to.equal(`---\nstatus: new\n---\n${text}`);
    }
  });

  it('writes the value of a term of another tool when the file gets an id of ours [A.edit.terms]', () => {
    const shape = withTerms(taskShape);
    const source = '---\nstatus: In Progress # mine\nmine: 1\n---\n';
    expect(held(shape, source)['status']).to.equal('in_progress');
    expect(patched(shape, source, { description: 'text' })).to.equal(`${source}text\n`);
    expect(patched(shape, source, { id: 'tsk_abcdef0123456789' })).to.equal(
      '---\nstatus: in_progress # mine\nid: tsk_abcdef0123456789\nmine: 1\n---\n',
    );
    const foreign = source.replace('mine: 1', 'id: TASK-1');
    expect(patched(shape, foreign, { label: 'Dig' })).to.equal(foreign.replace('id: TASK-1', 'id: TASK-1\nlabel: Dig'));
  });

  it('changes a field under its second name if the file has that one [A.format.title]', () => {
    const fields = taskShape.fields.map((one) => (one.name === 'label' ? { ...one, alias: 'title' } : one));
    const shape = { ...taskShape, fields };
    const source = "---\ntitle:  'Fix it' # so\nmine: 1\nid: x\n---\n";
    expect(held(shape, source)['label']).to.equal('Fix it');
    expect(patched(shape, source, { label: 'Done' })).to.equal(source.replace('Fix it', 'Done'));
    expect(patched(shape, source, { status: 'done' })).to.equal(source.replace('id: x', 'status: done\nid: x'));
    const both = '---\ntitle: A\nlabel: B\nid: x\n---\n';
    expect(held(shape, both)['label']).to.equal('B');
    expect(patched(shape, both, { label: 'C' })).to.equal(both.replace('B', 'C'));
    expect(patched(shape, '---\n{title: A, id: x}\n---\n', { label: 'C' })).to.equal('---\nid: x\ntitle: C\n---\n');
  });

  it('throws if the result would not read back, and never writes a partial result', () => {
    const source = Buffer.from('---\nid: x\nmine:  {a:  1}\n---\nbody\n');
    const before = { id: 'x', title: null, body: 'body' };
    expect(() => patch(documentShape, source, before, { ...before, title: 'a'.repeat(70_000) })).to.throw(/reads back/);
    const conflict = Buffer.from('---\nid: x\n<<<<<<< a\n=======\n>>>>>>> b\n---\n');
    expect(() => patch(documentShape, conflict, before, { ...before, title: 'b' })).to.throw();
  });
});

describe('Changing a file that the service wrote', () => {
  it(`equals writing the new record from scratch (seed ${seed}) [A.format.unchanged]`, () => {
    const random = new Random(seed);
    const record = (): Fields => ({
      ...{
        status: 'todo',
        id: 'x',
        label: nastyText(random),
        assignee: random.chance(0.5) ? null : nastyText(random),
        notes: nastyText(random),
      },
      ...{
        created_at: '2026',
        priority: null,
        weight: 1,
        urgent: false,
        position: nastyJson(random),
        tags: [nastyText(random)],
        links: [],
        description: nastyBody(random),
      },
    });
    for (let i = 0; i < 300; i++) {
      const [before, after] = [record(), record()];
      expect(patch(taskShape, encode(taskShape, before), before, after)).to.deep.equal(encode(taskShape, after));
    }
  });
});

/** Lines that are ignored, by the field that they would state. */
const ignorable: readonly (readonly [string, string?])[] = [
  ...([['when: {{date}}'], ['what: a: b'], ['dup: 2'], ['"open: x']] as const),
  ...([
    ['weight: heavy', 'weight'],
    ['weight: {{w}}', 'weight'],
  ] as const),
  ...([
    ['tags: a, b', 'tags'],
    ['tags: [a, {b: c}]', 'tags'],
    ['tags: [a\n', 'tags'],
    ['tags: [a\r\n', 'tags'],
  ] as const),
];

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

describe(`Any change to any file (seed ${seed})`, () => {
  /** Files as people write them: each line in one of several spellings. */
  function file(random: Random): string {
    const comment = (): string => random.pick(['', '', ' # note', '   # "quoted": {note']);
    const lines = [
      random.pick(['status: todo', 'status: "todo"', "status:   'in progress'", 'status: |\n  a\n  b', '']),
      random.pick(['id: x', '"id": x', '']),
      random.pick([
        'label: 2026',
        'label: >\n  folded\n  text\n\n',
        'label: plain over\n  two lines',
        'label:',
        'label: ~',
        '',
      ]),
      random.pick(['when: {{date}}', 'what: a: b', 'dup: 1\ndup: 2', '"open: x', '', '']),
      random.pick(['other: {a: [1, 2]}', 'other:\n  - x: y\n    z: |\n      text', '# comment', '', 'with space: 1']),
      random.pick(['weight: 12', 'weight: 0x1F', 'weight: 1e3', 'weight:', 'weight: heavy', 'weight: {{w}}', '']),
      random.pick([
        'position: {x: 1, y: 2}',
        'position:\n  x: 1\n  y: 2',
        'position: [1, {a: b}]',
        'position: text',
        '',
      ]),
      random.pick([
        'tags: [a, "b", c]',
        'tags:\n  - a\n  # between\n  - "b"',
        'tags:\n- c\n- a',
        'tags: a',
        'tags: a, b',
        'tags: [a, {b: c}]',
        'tags: [a',
        'tags: []',
        'tags: [\n  a,\n  b,\n]',
        '',
      ]),
      random.pick([
        'links:\n  - a\n  - {to: b, label: c}',
        'links: [{to: a}, b]',
        'links:\n  - to: a\n    label: b\n  -\n    to: c',
        '',
      ]),
    ].map((line) => (line === '' || /\n|^#/.test(line) ? line : line + comment()));
    const text = `---\n${lines.filter((line) => line !== '' || random.chance(0.2)).join('\n')}\n---\n${random.pick(['', '\n', 'body', 'body\n', '\n# T\n\n---\n'])}`;
    const ended = random.chance(0.3) ? text.replaceAll('\n', '\r\n') : text;
    return random.chance(0.2) ? `\ufeff${ended}` : ended;
  }

  it('reads back as intended and keeps unknown keys and comments of their own lines', () => {
    const random = new Random(seed);
    const item = (): string => (random.chance(0.5) ? random.pick(['a', 'b', 'c']) : nastyText(random) || 'x');
    const makers: Record<string, () => unknown> = {
      ...{
        status: () => nastyText(random),
        id: () => 'y',
        label: () => nastyText(random),
        weight: () => random.pick([null, 5, 0.5]),
      },
      ...{
        priority: () => nastyText(random),
        urgent: () => random.chance(0.5),
        position: () => nastyJson(random),
        description: () => nastyBody(random),
      },
      ...{ tags: () => [...new Set([item(), item(), item()])].slice(random.integer(0, 3)) },
      ...{
        links: () =>
          ['a', 'b', 'c', item()]
            .filter(() => random.chance(0.5))
            .map((to) => ({ to: to || 'x', ...(random.chance(0.5) ? { label: item() } : {}) })),
      },
    };
    for (let i = 0; i < roundsOf(200); i++) {
      const source = file(random);
      const before = held(taskShape, source);
      const after: Fields = { ...before };
      for (const [name, make] of Object.entries(makers)) if (random.chance(0.25)) after[name] = make();
      const result = patch(taskShape, Buffer.from(source), before, after).toString();
      const now = held(taskShape, result);
      const sorted = (fields: Fields): Fields => ({
        ...fields,
        tags: new Set(fields['tags'] as string[]),
        links: new Set((fields['links'] as Fields[]).map((link) => JSON.stringify([link['to'], link['label'] ?? '']))),
      });
      const context = `${JSON.stringify(source)}\n${JSON.stringify(after)}\n${JSON.stringify(result)}`;
      expect(sorted(now), context).to.deep.equal(sorted(after));
      if (source.includes('other: {a: [1, 2]}')) expect(result, context).to.include('other: {a: [1, 2]}');
      for (const [line, name] of ignorable)
        if (source.includes(line) && (name === undefined || isSame(before[name], after[name])))
          expect(result, context).to.include(line);
      if (source.includes('with space: 1')) expect(result, context).to.include('with space: 1');
      if (/\n# comment\r?\n/.test(source)) expect(result, context).to.include('# comment');
    }
  });
});

describe('Changing a JSON file that a person wrote [A.format.keeps]', () => {
  const source =
    '{\n\t"name":   "A",\n\t"mine": [1,2,  3],\n\t"id": "x",\n\t"aliases": ["b", "d"],\n\t"links": [ {"to": "b"} ]\n}';

  it('changes members in place and keeps indentation, order, spacing and unknown members', () => {
    expect(patched(canvasShape, source, { name: 'B' })).to.equal(source.replace('"A"', '"B"'));
    expect(patched(canvasShape, source, { color: 'red' })).to.equal(
      source.replace('"x",\n', '"x",\n\t"color": "red",\n'),
    );
    expect(patched(canvasShape, source, { aliases: [] })).to.equal(source.replace('\t"aliases": ["b", "d"],\n', ''));
    expect(patched(canvasShape, source, { layout: { a: 1 } })).to.include('"layout": {\n\t\t"a": 1\n\t},\n');
  });

  it('changes lists item by item', () => {
    const aliases = (names: string[]): unknown => JSON.parse(patched(canvasShape, source, { aliases: names }));
    expect(aliases(['b', 'c', 'd'])).to.deep.include({ aliases: ['b', 'c', 'd'] });
    expect(aliases(['a', 'd'])).to.deep.include({ aliases: ['a', 'd'] });
    expect(aliases(['d', 'b'])).to.deep.equal(JSON.parse(source));
    expect(JSON.parse(patched(canvasShape, source, { links: [{ to: 'a' }, { to: 'b', label: 'c' }] }))).to.deep.include(
      { links: [{ to: 'a' }, { to: 'b' }, { to: 'b', label: 'c' }].filter(({ label, to }) => to === 'a' || label) },
    );
  });

  it('keeps CRLF, the byte order mark and a missing final newline', () => {
    const windows = `\ufeff${source.replaceAll('\n', '\r\n')}`;
    expect(patched(canvasShape, windows, { name: 'B', color: 'red' })).to.equal(
      `\ufeff${patched(canvasShape, source, { name: 'B', color: 'red' }).replaceAll('\n', '\r\n')}`,
    );
  });

  it(`reads back as intended, whatever changes (seed ${seed})`, () => {
    const random = new Random(seed);
    for (let i = 0; i < 300; i++) {
      const changes: Fields = {
        name: nastyText(random),
        layout: nastyJson(random),
        aliases: ['b', nastyText(random), 'd'].slice(random.integer(0, 2)),
        color: random.pick([null, 'red']),
        shown: random.chance(0.5),
      };
      const text = random.chance(0.5) ? source : JSON.stringify(JSON.parse(source));
      const now = held(canvasShape, patched(canvasShape, text, changes));
      expect({ ...now, aliases: new Set(now['aliases'] as string[]) }).to.deep.include({
        ...changes,
        aliases: new Set(changes['aliases'] as string[]),
      });
    }
  });
});
