import { expect } from 'chai';
import type { Shape } from '../../../src/store/record/collection.ts';
import { decode, encode } from '../../../src/store/files/codec/codec.ts';
import type { Decoded } from '../../../src/store/files/codec/codec.ts';
import { nastyBody, nastyJson, nastyText, seed } from '../../support/nasty-texts.ts';
import { Random } from '../../support/random.ts';
import { canvasShape, documentShape, taskShape } from '../../support/shapes.ts';

type Fields = Record<string, unknown>;

const read = (shape: Shape, text: string): Decoded => decode(shape, Buffer.from(text));

function fieldsOf(shape: Shape, text: string): Fields {
  const decoded = read(shape, text);
  if (!decoded.ok) throw new Error(`line ${decoded.line}: ${decoded.reason}\n${text}`);
  return decoded.fields;
}

function problemOf(shape: Shape, text: string | Buffer): { line: number; reason: string; id?: string } {
  const decoded = decode(shape, Buffer.from(text));
  if (decoded.ok) throw new Error(`It was read: ${JSON.stringify(decoded.fields)}`);
  return decoded;
}

const task: Fields = {
  status: 'todo',
  id: 'tsk_abcdef0123456789',
  assignee: null,
  label: 'Write: the codec',
  created_at: '2026-01-02T03:04:05.678Z',
  priority: 'high',
  notes: 'one\ntwo',
  weight: 2.5,
  urgent: false,
  position: { x: 120, y: -3.5 },
  tags: ['b', 'a', '2026'],
  links: [
    { to: 'tsk_b', label: 'depends_on', id: 'edg_1', type: 'task' },
    { to: 'doc_a', id: 'edg_2', type: 'document', style: 'dashed' },
  ],
  description: 'Body.\n',
};

describe('Record files in Markdown', () => {
  it('have fixed key order, lists last and sorted, one item a line, and one final newline beside the body [A.format.key-order, A.format.bytes, A.format.links]', () => {
    const links = {
      omitLinkId: ({ id }: { id: string }) => id === 'edg_1',
      omitLinkType: ({ type }: { type: string }) => type === 'task',
    };
    expect(encode(taskShape, task, links).toString()).to.equal(
      [
        '---',
        'status: todo',
        'id: tsk_abcdef0123456789',
        'label: "Write: the codec"',
        'created_at: 2026-01-02T03:04:05.678Z',
        'priority: high',
        'notes: |-',
        '  one',
        '  two',
        'weight: 2.5',
        'position: {x: 120, y: -3.5}',
        'tags:',
        '  - "2026"',
        '  - a',
        '  - b',
        'links:',
        '  - {to: doc_a, type: document, id: edg_2, style: dashed}',
        '  - {to: tsk_b, label: depends_on}',
        '---',
        'Body.',
        '',
        '',
      ].join('\n'),
    );
  });

  it('have the same bytes for the same record, whatever the order of its members [A.format.unchanged]', () => {
    const backwards = Object.fromEntries(Object.entries(task).reverse());
    expect(encode(taskShape, { ...backwards, tags: ['a', 'b', '2026'] })).to.deep.equal(encode(taskShape, task));
  });

  it('end after the closing fence if there is no body', () => {
    expect(encode(documentShape, { id: 'x', body: '' }).toString()).to.equal('---\nid: x\n---\n');
    expect(fieldsOf(documentShape, '---\nid: x\n---\n')).to.deep.equal({ id: 'x', body: '' });
    expect(fieldsOf(documentShape, '---\nid: x\n---')).to.deep.equal({ id: 'x', body: '' });
  });

  it(`read back as the record that was written, bodies byte for byte (seed ${seed}) [A.format.body]`, () => {
    const random = new Random(seed);
    const maybe = <T>(value: () => T): T | null => (random.chance(0.3) ? null : value());
    for (let i = 0; i < 1500; i++) {
      const record: Fields = {
        ...task,
        assignee: maybe(() => nastyText(random)),
        label: nastyText(random),
        notes: maybe(() => nastyText(random)),
        weight: random.pick([0, -1, 0.25, 1e-7, 2 ** 63, null]),
        urgent: random.chance(0.5),
        position: maybe(() => nastyJson(random)),
        tags: [...new Set(Array.from({ length: random.integer(0, 3) }, () => nastyText(random)))].sort(),
        links: random.chance(0.5) ? [] : [{ to: `x${nastyText(random)}`, label: nastyText(random) }],
        description: nastyBody(random),
      };
      const decoded = read(taskShape, encode(taskShape, record).toString());
      if (!decoded.ok)
        throw new Error(`line ${decoded.line}: ${decoded.reason}\n${encode(taskShape, record).toString()}`);
      const absent = Object.fromEntries(taskShape.fields.map(({ name, absent: value }) => [name, value]));
      expect({ ...absent, ...decoded.fields }).to.deep.equal(record);
    }
  });

  it('take the source text of a scalar for a text field [A.format.scalar]', () => {
    const fields = fieldsOf(
      taskShape,
      '---\nlabel: 2026\nassignee: yes\npriority: 1.0\nnotes: >-\n  two\n  lines\nstatus: "true"\n---\n',
    );
    expect(fields).to.deep.include({
      label: '2026',
      assignee: 'yes',
      priority: '1.0',
      notes: 'two lines',
      status: 'true',
    });
    expect(fieldsOf(taskShape, '---\nlabel: ~\nassignee: null\npriority:\nnotes: "null"\n---\n')).to.deep.include({
      ...{ label: null, assignee: null, priority: null, notes: 'null' },
    });
  });

  it('may have lists and links in the styles that people write', () => {
    const text =
      '---\ntags: api\nlinks:\n  - tsk_a\n  - to: tsk_b\n    label: 12\n    mine: kept\n  - {to: tsk_c, type: ~}\n---\n';
    const { tags, links } = fieldsOf(taskShape, text);
    expect(tags).to.deep.equal(['api']);
    expect(links).to.deep.equal([{ to: 'tsk_a' }, { to: 'tsk_b', label: '12' }, { to: 'tsk_c' }]);
    expect(fieldsOf(taskShape, '---\ntags: [1, "a b", ]\nlinks:\n---\n')).to.deep.include({
      tags: ['1', 'a b'],
      links: [],
    });
  });

  it('return the unknown keys', () => {
    const decoded = read(documentShape, '---\ntitle: A\ncover: x.png\n__proto__: {admin: true}\n---\n');
    expect(decoded).to.deep.include({ ok: true, unknown: ['cover', '__proto__'] });
    expect(({} as Fields)['admin']).to.equal(undefined);
  });

  it('need no front matter: the whole text is then the body', () => {
    for (const text of [
      '',
      'text',
      'text\n\n',
      '# Title\n\n---\n\nmore\n',
      '---\n',
      '----\na: b\n----\n',
      '--- a heading ---\ntext\n---\n',
    ]) {
      expect(fieldsOf(documentShape, text)).to.deep.equal({ body: text.replace(/\n$/, '') });
    }
  });

  it('distinguish front matter from a page that begins with a horizontal rule', () => {
    for (const text of [
      '---\n\n# Title\n\n---\n\nmore',
      '---\nJust a line.\n---\nmore',
      '---\n* a\n* b\n---\nmore',
      '---\nno end\nhere',
      '---\n- a\n- b\n---\nx',
    ]) {
      expect(fieldsOf(documentShape, text), text).to.deep.equal({ body: text });
    }
    expect(fieldsOf(documentShape, '---\n# nothing yet\n---\nmore\n')).to.deep.equal({ body: 'more' });
    expect(fieldsOf(documentShape, '---\n---\n---\nid: x\n---\n')).to.deep.equal({ body: '---\nid: x\n---' });
  });

  it('are read with CRLF line endings and a byte order mark, the body unchanged', () => {
    const text = '\ufeff---\r\nid: x\r\ntitle: A\r\nlinks:\r\n  - a\r\n---\r\none\r\n\r\ntwo\r\n';
    expect(fieldsOf(documentShape, text)).to.deep.equal({
      id: 'x',
      title: 'A',
      links: [{ to: 'a' }],
      body: 'one\r\n\r\ntwo',
    });
    expect(fieldsOf(documentShape, '---\nid: x\n---\none\r\n')).to.deep.equal({ id: 'x', body: 'one\r' });
  });
});

describe('Unreadable record files', () => {
  it('have a reason with line, key and expected value if a value is of another kind [A.trust.bad-input]', () => {
    const cases: [string, number, RegExp][] = [
      ['---\nid: tsk_1\nlabel: [a]\n---\n', 3, /label must be text, not a list/],
      ['---\nid: tsk_1\n\nweight: heavy # x\n---\n', 4, /weight must be a number, not "heavy"/],
      ['---\nid: tsk_1\nweight: .nan\n---\n', 3, /weight must be a number/],
      ['---\nid: tsk_1\nurgent: yes\n---\n', 3, /urgent must be true or false, not "yes"/],
      ['---\nid: tsk_1\ntags:\n  - a\n  - {b: c}\n---\n', 5, /tags must be text, not a map/],
      ['---\nid: tsk_1\nlinks:\n  - {label: a}\n---\n', 4, /links: each link needs `to`/],
      ['---\nid: tsk_1\nposition: {x: .inf}\n---\n', 3, /position: .inf is not a valid JSON number/],
      ['---\r\nid: tsk_1\r\nlabel: {a: b}\r\n---\r\n', 3, /label must be text, not a map/],
      ['---\nid: tsk_1\nlabel: a\nlabel: b\n---\n', 4, /"label" occurs twice/],
      ['---\nid: tsk_1\nlabel: "open\n---\n', 3, /YAML: Missing closing "quote/],
      ['---\nid: tsk_1\n  bad: indent\n---\n', 2, /YAML/],
      ['---\nid: tsk_1\nlabel: a\n', 1, /not closed/],
      ['---\nid: tsk_1\n---x\nlabel: a\n---\n', 3, /not closed/],
    ];
    for (const [text, line, reason] of cases) {
      const problem = problemOf(taskShape, text);
      expect(problem.reason, text).to.match(reason);
      expect(problem, text).to.deep.include({ line, id: 'tsk_1' });
    }
  });

  it('include those with conflict markers, with the line of the first one', () => {
    const inFront = '---\nid: tsk_1\n<<<<<<< HEAD\nstatus: todo\n=======\nstatus: done\n>>>>>>> other\n---\nbody\n';
    const inBody = '---\nid: tsk_1\n---\nbody\n<<<<<<< HEAD\nx\n||||||| base\n=======\ny\n>>>>>>> other\n';
    expect(problemOf(taskShape, inFront)).to.deep.include({ line: 3, id: 'tsk_1' });
    expect(problemOf(taskShape, inBody)).to.deep.include({ line: 5, id: 'tsk_1' });
    expect(problemOf(taskShape, inBody.replaceAll('\n', '\r\n'))).to.deep.include({ line: 5 });
    expect(
      problemOf(canvasShape, '{\n<<<<<<< HEAD\n  "id": "a"\n=======\n  "id": "b"\n>>>>>>> other\n}\n'),
    ).to.deep.include({ line: 2, id: 'a' });
  });

  it('do not include those with headings that look like half of a conflict', () => {
    for (const body of [
      'Title\n=======\n\ntext',
      '<<<<<<< HEAD\nalone',
      'a\n=======\n>>>>>>> b',
      ' <<<<<<< HEAD\n=======\n>>>>>>> b',
    ]) {
      expect(fieldsOf(documentShape, `${body}\n`)).to.deep.equal({ body });
    }
  });

  it('are distinguished from a body that explains conflicts by the number of marker lines in its front matter [A.format.body]', () => {
    const body = 'Git writes:\n\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n';
    const written = encode(documentShape, { id: 'x', body }).toString();
    expect(fieldsOf(documentShape, written)).to.deep.equal({ id: 'x', body });
    const merged = written.replace('theirs\n', '<<<<<<< HEAD\nb\n=======\nc\n>>>>>>> other\n');
    expect(problemOf(documentShape, merged)).to.deep.include({ line: 7 });
    expect(problemOf(documentShape, `${body}\n`).reason).to.include('conflict_marker_lines: 2');
    expect(fieldsOf(documentShape, `---\nconflict_marker_lines: 2\n---\n${body}\n`)).to.deep.equal({ body });
  });

  it('include those that are not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('---\nid: tsk_1\n---\nfine\n'), Buffer.from([0x61, 0xe9, 0x0a])]);
    expect(problemOf(taskShape, bytes)).to.deep.include({ line: 5, id: 'tsk_1' });
  });
});

describe('Hostile front matter [A.trust.front-matter]', () => {
  it('is never evaluated: every language but YAML is rejected', () => {
    const code = 'globalThis.ran = true';
    for (const language of ['js', 'javascript', 'JS', 'json', 'coffee', 'toml', 'constructor', 'eval']) {
      expect(problemOf(documentShape, `---${language}\n${code}\n---\n`)).to.deep.include({ line: 1 });
      expect(problemOf(documentShape, `--- ${language}\n({a: ${code}})\n---\n`).reason).to.match(/only YAML/);
    }
    expect((globalThis as Fields)['ran']).to.equal(undefined);
    expect(fieldsOf(documentShape, '---yaml\nid: x\n---\n')).to.deep.equal({ id: 'x', body: '' });
  });

  it('has no anchors and aliases, so nothing in it grows', () => {
    const bomb = ['a: &a [x, x]', 'b: &b [*a, *a, *a]', 'c: &c [*b, *b, *b]', 'd: [*c, *c, *c]'].join('\n');
    expect(problemOf(documentShape, `---\nid: x\n${bomb}\n---\n`)).to.deep.include({ line: 3, id: 'x' });
    expect(problemOf(documentShape, '---\nid: &x y\ntitle: *x\n---\n').reason).to.match(/Anchors and aliases/);
  });

  it('does not change prototypes', () => {
    const { position } = fieldsOf(
      documentShape,
      '---\nposition: {__proto__: {polluted: 1}, "constructor": {x: 2}}\n---\n',
    );
    expect((position as Fields)['polluted']).to.equal(undefined);
    expect(Object.keys(position as Fields)).to.deep.equal(['__proto__', 'constructor']);
    expect(({} as Fields)['polluted']).to.equal(undefined);
    const canvas = fieldsOf(canvasShape, '{"id": "a", "layout": {"__proto__": {"polluted": 1}}}');
    expect((canvas['layout'] as Fields)['polluted']).to.equal(undefined);
  });

  it('has at most 200 keys a map and 64 KiB, unless the service wrote it', () => {
    const keys = (count: number): string => Array.from({ length: count }, (_, i) => `k${i}: v`).join('\n');
    expect(fieldsOf(documentShape, `---\n${keys(200)}\n---\n`)).to.deep.equal({ body: '' });
    expect(problemOf(documentShape, `---\n${keys(201)}\n---\n`).reason).to.match(/201 keys; at most 200/);
    expect(problemOf(documentShape, `---\n{${keys(300).replaceAll('\n', ', ')}}\nid: x\n---\n`)).to.deep.include({
      ok: false,
    });
    expect(problemOf(documentShape, `---\n# long\nid: x\ntitle: ${'a'.repeat(100_000)}\n---\n`).reason).to.match(
      /at most 65536 are read/,
    );
    for (const title of ['ä'.repeat(1_000_000), 'two\nlines '.repeat(50_000).trim(), '"\\'.repeat(100_000)]) {
      const bytes = encode(documentShape, { id: 'x', title, body: '' });
      expect(fieldsOf(documentShape, bytes.toString())['title'] === title, title.slice(0, 10)).to.equal(true);
    }
    expect(() => encode(documentShape, { id: 'x', title: 'ä'.repeat(2_200_000), body: '' })).to.throw(
      /at most 4194304 fit/,
    );
  });

  it('may have any nesting and any number of blank lines without harm', () => {
    const deep = [
      `title: ${'['.repeat(30_000)}`,
      `title: ${'{a: '.repeat(10_000)}`,
      `position: ${'['.repeat(100)}${']'.repeat(100)}`,
      `x: ${'- '.repeat(20_000)}`,
    ];
    const odd = [
      `id: x\n${'\n'.repeat(60_000)}y: 1`,
      `id: x\n${'\u2028'.repeat(15_000)}\ny: 1`,
      `id: ${'&a '.repeat(15_000)}x`,
      `${'? '.repeat(20_000)}x: 1\nid: x`,
    ];
    for (const text of [...deep, ...odd])
      expect(problemOf(documentShape, `---\n${text}\n---\n`).line, text.slice(0, 20)).to.be.greaterThan(0);
  });
});

describe('Record files in JSON', () => {
  const canvas: Fields = {
    id: 'canvas',
    name: 'Müller',
    color: null,
    size: 3,
    shown: true,
    layout: { zoom: 1, b: [1, { c: null }] },
    aliases: ['b', 'a'],
    links: [{ to: 'tsk_a', label: 'x' }],
  };

  it('are indented by two, in fixed order, with one link a line [A.format.bytes]', () => {
    const lines = [
      '{',
      '  "id": "canvas",',
      '  "name": "Müller",',
      '  "size": 3,',
      '  "layout": {',
      '    "zoom": 1,',
      '    "b": [',
      '      1,',
      '      {',
      '        "c": null',
      '      }',
      '    ]',
      '  },',
    ];
    const lists = [
      '  "aliases": [',
      '    "a",',
      '    "b"',
      '  ],',
      '  "links": [',
      '    { "to": "tsk_a", "label": "x" }',
      '  ]',
      '}',
      '',
    ];
    expect(encode(canvasShape, canvas).toString()).to.equal([...lines, ...lists].join('\n'));
  });

  it(`read back as the record that was written (seed ${seed})`, () => {
    const random = new Random(seed);
    for (let i = 0; i < 500; i++) {
      const aliases = [...new Set([nastyText(random), nastyText(random)])].sort();
      const record = {
        ...canvas,
        name: nastyText(random),
        layout: nastyJson(random),
        aliases,
        color: random.chance(0.5) ? null : nastyText(random),
      };
      expect({
        color: null,
        shown: true,
        layout: null,
        ...fieldsOf(canvasShape, encode(canvasShape, record).toString()),
      }).to.deep.equal(record);
    }
  });

  it('have line and reason if they are invalid', () => {
    const cases: [string, number, RegExp][] = [
      ['{\n  "id": "a",\n  "name": \n}\n', 4, /not JSON: value expected/],
      ['{\n  "id": "a", // mine\n  "name": "b"\n}\n', 2, /Comments are not allowed/],
      ['{\n  "id": "a",\n  "name": 3\n}\n', 3, /name must be text in quotes, not the number 3/],
      ['{\n  "id": "a",\n  "aliases": [1]\n}\n', 3, /aliases must be a list of texts/],
      ['{\n  "id": "a",\n  "links": [{}]\n}\n', 3, /links: each link needs `to`/],
      ['{\n  "id": "a",\n  "id": "b"\n}\n', 3, /"id" occurs twice/],
      ['["id", "a"]\n', 1, /not a JSON object/],
    ];
    for (const [text, line, reason] of cases) {
      expect(problemOf(canvasShape, text).reason, text).to.match(reason);
      expect(problemOf(canvasShape, text), text).to.deep.include({ line });
    }
    expect(problemOf(canvasShape, '').line).to.equal(1);
    expect(problemOf(canvasShape, `{"layout": ${'['.repeat(50_000)}`).line).to.equal(1);
    expect(problemOf(canvasShape, `{"layout": ${'['.repeat(500)}${']'.repeat(500)}}`).reason).to.match(/nested deeper/);
  });
});
