import { expect } from 'chai';
import type { Shape } from '../../../src/store/record/collection.ts';
import { decode, encode } from '../../../src/store/files/codec/codec.ts';
import { conflictBlocks, conflictMessage } from '../../../src/store/files/codec/conflict-markers.ts';
import type { Decoded, Note } from '../../../src/store/files/codec/codec.ts';
import { nastyBody, nastyJson, nastyText, seed } from '../../support/nasty-texts.ts';
import { Random } from '../../support/random.ts';
import { canvasShape, documentShape, taskShape, withTerms } from '../../support/shapes.ts';

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

function notesOf(shape: Shape, text: string): readonly Note[] {
  const decoded = read(shape, text);
  if (!decoded.ok) throw new Error(`line ${decoded.line}: ${decoded.reason}\n${text}`);
  return decoded.notes;
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
  it('have fixed key order, lists last and sorted, one item a line, and one final newline apart from the body [A.format.key-order, A.format.bytes, A.format.links]', () => {
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

describe('Front matter of others [A.edit.foreign]', () => {
  it('is read except values of another kind, which are noted with line, key and the expected value [A.trust.bad-input]', () => {
    const cases: [string, number, RegExp][] = [
      ['---\nid: tsk_1\nlabel: [a]\n---\n', 3, /^label must be text, not a list/],
      ['---\nid: tsk_1\n\nweight: heavy # x\n---\n', 4, /^weight must be a number, not "heavy"/],
      ['---\nid: tsk_1\nweight: .nan\n---\n', 3, /^weight must be a number/],
      ['---\nid: tsk_1\nurgent: yes\n---\n', 3, /^urgent must be true or false, not "yes"/],
      ['---\nid: tsk_1\ntags:\n  - a\n  - {b: c}\n---\n', 5, /^tags must be text, not a map/],
      ['---\nid: tsk_1\ntags: a, b\n---\n', 3, /^tags must be a list, as in \[a, b\]/],
      ['---\nid: tsk_1\nlinks:\n  - {label: a}\n---\n', 4, /^links: each link needs `to`/],
      ['---\nid: tsk_1\nposition: {x: .inf}\n---\n', 3, /^position: .inf is not a valid JSON number/],
      ['---\r\nid: tsk_1\r\nlabel: {a: b}\r\n---\r\n', 3, /^label must be text, not a map/],
      ['---\nid: tsk_1\nlabel: a\nlabel: b\n---\n', 4, /^label: The key "label" occurs twice; the first one counts/],
      ['---\nid: tsk_1\nlabel: "open\n---\n', 3, /^label: This is not YAML: a quote or a bracket is not closed/],
      ['---\nid: tsk_1\nlabel: a: b\n---\n', 3, /^label: This is not YAML: a text with a colon/],
      ['---\nid: tsk_1\nmade: {{date}}\n---\n', 3, /^made: This is not YAML: a value that begins with \{/],
      ['---\nid: tsk_1\nmine: *x\n---\n', 3, /^mine: .*Anchors and aliases|^mine: This is not YAML/],
      ['---\nid: tsk_1\njust words\n---\n', 3, /The line is not a key with a value/],
    ];
    for (const [text, line, reason] of cases) {
      const notes = notesOf(taskShape, text);
      expect(notes, text).to.have.length(1);
      expect(notes[0]!.line, text).to.equal(line);
      expect(notes[0]!.reason, text).to.match(reason);
      expect(notes[0]!.reason, text).not.to.match(/stringKeys|Implicit|collection/);
      expect(fieldsOf(taskShape, text)['id'], text).to.equal('tsk_1');
    }
  });

  it('has terms of other tools, which are noted, unless the file has an id of ours [A.edit.terms]', () => {
    const shape = withTerms(taskShape);
    for (const id of ['', 'id: TASK-1\n', 'id: [a]\n']) {
      const text = `---\n${id}status: In Progress\n---\n`;
      expect(fieldsOf(shape, text)['status']).to.equal('in_progress');
      const note = notesOf(shape, text).at(-1)!;
      expect(note.reason).to.equal('status: "In Progress" is a term of other tools: it is read as in_progress.');
      expect(text.split('\n')[note.line - 1]).to.equal('status: In Progress');
    }
    const own = '---\nid: tsk_abcdef0123456789\nstatus: In Progress\n---\n';
    expect(fieldsOf(shape, own)['status']).to.equal('In Progress');
    expect(notesOf(shape, '---\nstatus: in_progress\n---\n')).to.deep.equal([]);
  });

  it('has all findings together, by line', () => {
    const text = '---\nstatus: [a]\ncreated_at: {{date}}\nlabel: x\ntags: a, b\nlabel: y\nweight: z\n---\nText\n';
    expect(notesOf(taskShape, text).map(({ line, key }) => [line, key])).to.deep.equal([
      [2, 'status'],
      [3, 'created_at'],
      [5, 'tags'],
      [6, 'label'],
      [7, 'weight'],
    ]);
    expect(fieldsOf(taskShape, text)).to.deep.equal({ label: 'x', description: 'Text' });
  });

  it('is text with the rest of the file if nothing of it can be read', () => {
    for (const [text, line] of [
      ['---\nlabel: a\n', 1],
      ['---js\nglobalThis.ran = 1\n---\nx', 1],
      [`---\n${'k: v\n'.repeat(300)}---\nx`, 202],
    ] as const) {
      expect(fieldsOf(documentShape, text)).to.deep.equal({ body: text.replace(/\n$/, '') });
      const [note, ...others] = notesOf(documentShape, text);
      expect(others).to.deep.equal([]);
      expect(note!.reason).to.match(/The file is read as text\.$/);
      expect(note!.line).to.be.at.most(line);
    }
  });

  it('is read by a second name of a field, if there is no first one [A.format.title]', () => {
    const fields = taskShape.fields.map((one) => (one.name === 'label' ? { ...one, alias: 'title' } : one));
    const shape = { ...taskShape, fields };
    expect(fieldsOf(shape, '---\ntitle: A\n---\n')).to.deep.equal({ label: 'A', description: '' });
    expect(read(shape, '---\ntitle: A\nlabel: B\n---\n')).to.deep.include({
      fields: { label: 'B', description: '' },
      unknown: ['title'],
    });
  });
});

describe('Unreadable record files', () => {
  it('have front matter that is damaged as a whole, and has an id', () => {
    const cases: [string, number, RegExp][] = [
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

  it('include files with conflict markers, with the line of the first one', () => {
    const inFront = '---\nid: tsk_1\n<<<<<<< HEAD\nstatus: todo\n=======\nstatus: done\n>>>>>>> other\n---\nbody\n';
    const inBody = '---\nid: tsk_1\n---\nbody\n<<<<<<< HEAD\nx\n||||||| base\n=======\ny\n>>>>>>> other\n';
    expect(problemOf(taskShape, inFront)).to.deep.include({ line: 3, id: 'tsk_1' });
    expect(problemOf(taskShape, inBody)).to.deep.include({ line: 5, id: 'tsk_1' });
    expect(problemOf(taskShape, inBody.replaceAll('\n', '\r\n'))).to.deep.include({ line: 5 });
    expect(
      problemOf(canvasShape, '{\n<<<<<<< HEAD\n  "id": "a"\n=======\n  "id": "b"\n>>>>>>> other\n}\n'),
    ).to.deep.include({ line: 2, id: 'a' });
  });

  it('list the lines of every conflict, and say what to do first [A.edit.unreadable]', () => {
    const block = '<<<<<<< HEAD\nx\n||||||| base\n=======\ny\n>>>>>>> other\n';
    const { reason } = problemOf(taskShape, `---\nid: tsk_1\n---\n${block}between\n=======\n${block}`);
    expect(reason).to.include('in lines 4-9, 12-17: resolve the conflicts first');
    expect(problemOf(canvasShape, `{\n${block}}\n`.replaceAll('\n', '\r\n')).reason).to.include('in lines 2-7:');
    expect(problemOf(documentShape, block.repeat(12)).reason).to.include('55-60 and 2 more:');
    expect(conflictBlocks(`a\n<<<<<<< a\n${block}`)).to.deep.equal([{ from: 3, to: 8 }]);
    expect(conflictMessage('<<<<<<< a\n>>>>>>> b\n=======\n')).to.equal(undefined);
  });

  it('include pointers to content that is elsewhere, and say how to fetch it [A.edit.unreadable]', () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12\n`;
    for (const [bytes, remedy] of [
      ...[[pointer, 'git lfs pull'] as const, [pointer.replaceAll('\n', '\r\n'), 'git lfs pull'] as const],
      ['/annex/objects/SHA256E-s1--a.md\n', 'git annex get'] as const,
      [Buffer.from('00474954435259505400ff00ff', 'hex'), 'git-crypt unlock'] as const,
    ])
      for (const shape of [taskShape, documentShape, canvasShape])
        expect(problemOf(shape, bytes)).to.deep.include({ line: 1 }).and.property('reason').contain(remedy);
    for (const body of [`Pointers:\n${pointer}`, `${pointer}\nSee above.\n`, 'See /annex/objects/x.\n'])
      expect(fieldsOf(documentShape, body)).to.deep.equal({ body: body.trimEnd() });
  });

  it('do not include files with headings that look like half of a conflict', () => {
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

  it('include files that are not UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('---\nid: tsk_1\n---\nfine\n'), Buffer.from([0x61, 0xe9, 0x0a])]);
    expect(problemOf(taskShape, bytes)).to.deep.include({ line: 5, id: 'tsk_1' });
  });
});

describe('Hostile front matter [A.trust.front-matter]', () => {
  it('is never evaluated: every language but YAML is rejected', () => {
    const code = 'globalThis.ran = true';
    for (const language of ['js', 'javascript', 'JS', 'json', 'coffee', 'toml', 'constructor', 'eval']) {
      expect(notesOf(documentShape, `---${language}\n${code}\n---\n`)[0]).to.include({ line: 1 });
      expect(problemOf(documentShape, `---${language}\nid: x\n${code}\n---\n`)).to.deep.include({ line: 1 });
      expect(notesOf(documentShape, `--- ${language}\n({a: ${code}})\n---\n`)[0]!.reason).to.match(/only YAML/);
    }
    expect((globalThis as Fields)['ran']).to.equal(undefined);
    expect(fieldsOf(documentShape, '---yaml\nid: x\n---\n')).to.deep.equal({ id: 'x', body: '' });
  });

  it('has no anchors and aliases, so nothing in it grows', () => {
    const bomb = ['a: &a [x, x]', 'b: &b [*a, *a, *a]', 'c: &c [*b, *b, *b]', 'd: [*c, *c, *c]'].join('\n');
    const notes = notesOf(documentShape, `---\nid: x\n${bomb}\n---\n`);
    expect(notes.map(({ line }) => line)).to.deep.equal([3, 4, 5, 6]);
    expect(notesOf(documentShape, '---\nid: &x y\ntitle: &y z\n---\n')[1]!.reason).to.match(/Anchors and aliases/);
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
    expect(problemOf(documentShape, `---\nid: x\n${keys(200)}\n---\n`).reason).to.match(/201 keys; at most 200/);
    expect(notesOf(documentShape, `---\n${keys(201)}\n---\n`)[0]!.reason).to.match(/201 keys; at most 200/);
    expect(notesOf(documentShape, `---\n{${keys(300).replaceAll('\n', ', ')}}\nid: x\n---\n`)).to.have.length(1);
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
      `x: ${'- '.repeat(10_000)}`,
    ];
    const odd = [
      `id: x\n${'\n'.repeat(60_000)}y: 1`,
      `id: x\n${'\u2028'.repeat(15_000)}\ny: 1`,
      `id: ${'&a '.repeat(3000)}x`,
      `${'? '.repeat(10_000)}x: 1\nid: x`,
    ];
    for (const text of [...deep, ...odd]) {
      const decoded = read(documentShape, `---\n${text}\n---\n`);
      const line = decoded.ok ? decoded.notes[0]?.line : decoded.line;
      expect(line, text.slice(0, 20)).to.be.greaterThan(0);
    }
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
