import { expect } from 'chai';
import { parse, parseDocument } from 'yaml';
import { readCanonical } from '../../../src/store/files/codec/canonical-read.ts';
import type { Node } from '../../../src/store/files/codec/node.ts';
import { entry, flow } from '../../../src/store/files/codec/yaml-emit.ts';
import { nodeOf } from '../../../src/store/files/codec/yaml-read.ts';
import { doubleQuoted, isPlain, scalar, singleQuoted } from '../../../src/store/files/codec/yaml-scalar.ts';
import { nastyJson, nastyText, nastyTexts, seed } from '../../support/nasty-texts.ts';
import { Random, roundsOf } from '../../support/random.ts';
import { field } from '../../support/shapes.ts';

const options = { version: '1.2', schema: 'core' } as const;

/** Every text of up to three of these, then nasty and random ones. */
function* texts(): Generator<string> {
  const characters = [...'a1-:?#,[]{}&*!|>\'"%@`~.<= \t\n\r\\', 'é', '\0', '\u2028', '\ufeff', '\x85'];
  for (const a of characters) {
    yield a;
    for (const b of characters) yield a + b;
  }
  for (const a of 'a1-:?.# "') for (const b of 'a1-:?.# "') for (const c of 'a1-:?.# "') yield a + b + c;
  yield* nastyTexts;
  const random = new Random(seed);
  for (let i = 0; i < roundsOf(500); i++) yield nastyText(random);
}

describe(`Scalars in front matter, as the yaml package reads them (seed ${seed})`, () => {
  it('read back as the same text after a key, after a dash and between braces', () => {
    for (const text of texts()) {
      const [own, within] = [scalar(text, false), scalar(text, true)];
      const written = `k: ${own}\nl:\n  - ${own}\n  - 1\nm: {a: ${within}, b: 1}\nn: [${within}, 1]\no: 1\n`;
      const expected = { k: text, l: [text, 1], m: { a: text, b: 1 }, n: [text, 1], o: 1 };
      expect(parse(written, options), text).to.deep.equal(expected);
    }
  });

  it('are quoted only if unquoted ones would be read as something else', () => {
    for (const text of [
      '2026-01-02T03:04:05.678Z',
      'agent:claude',
      'yes',
      'a, b',
      "it's",
      'a#b',
      '-a',
      'C++ [draft]',
      '1.2.3',
      'http://x/y?z#a',
    ]) {
      expect(scalar(text, false)).to.equal(text);
    }
    for (const text of ['2026', 'true', 'null', '~', '', '1.0', '.5', '0x1F', 'a: b', 'a #b', '[draft]', ' a', 'a:']) {
      expect(scalar(text, false), text).to.match(/^["']/);
      expect(isPlain(text, true), text).to.equal(false);
    }
  });

  it('stay on one line however long they are, except texts of several lines', () => {
    const words = 'some words '.repeat(50) + 'end';
    expect(entry(field('k'), words, {})).to.equal(`k: ${words}\n`);
    expect(entry(field('k'), 'a\n  b\n\nc', {})).to.equal('k: |-\n  a\n    b\n\n  c\n');
    expect(entry(field('k'), 'a\r\nb', {})).to.equal('k: "a\\r\\nb"\n');
  });

  it('read back in every style of quotes that a person may have chosen', () => {
    for (const text of texts()) {
      const quoted = [doubleQuoted(text), singleQuoted(text) ?? doubleQuoted(text)];
      const written = quoted.map((own, at) => `k${at}: ${own}\n`).join('');
      expect(parse(written, options), text).to.deep.equal({ k0: text, k1: text });
    }
  });

  it('read back from an entry of their own, including block literals', () => {
    for (const text of texts()) {
      expect(parse(`${entry(field('k'), text, {})}l: 1\n`, options), text).to.deep.equal({ k: text, l: 1 });
      expect(parse(entry(field('k'), text, {}), options), text).to.deep.equal({ k: text });
    }
  });

  it('read back as JSON values in flow style on one line', () => {
    const random = new Random(seed);
    for (let i = 0; i < 500; i++) {
      const value = nastyJson(random);
      const written = flow(value);
      expect(written).not.to.include('\n');
      expect(parse(`k: ${written}\n`, options), written).to.deep.equal({ k: value });
    }
  });
});

describe(`The reader of canonical front matter (seed ${seed})`, () => {
  const plain = (node: Node): unknown => {
    if (node.kind === 'scalar') return { source: node.source, value: node.value };
    if (node.kind === 'list') return node.items.map(plain);
    return node.keys.map((key, i) => [key, plain(node.values[i]!)]);
  };

  /** Accepted text must mean the same to YAML's own parser. */
  function agrees(text: string): boolean {
    const node = readCanonical(text);
    if (node === undefined) return false;
    const document = parseDocument(text, { ...options, stringKeys: true, uniqueKeys: true });
    expect(document.errors, JSON.stringify(text)).to.deep.equal([]);
    expect(plain(node), JSON.stringify(text)).to.deep.equal(plain(nodeOf(document.contents)));
    return true;
  }

  it('reads texts of the service like YAML', () => {
    const random = new Random(seed);
    let taken = 0;
    for (let i = 0; i < 500; i++) {
      const text = `\n${[
        entry(field('label'), nastyText(random).replaceAll('\n', ' '), {}),
        entry(field('constraints'), `a${nastyText(random)}\n${nastyText(random)}`, {}),
        entry(field('tags', 'texts', []), [nastyText(random), nastyText(random)], {}),
        entry(field('position', 'json'), nastyJson(random), {}),
        entry(
          field('links', 'links', []),
          [{ to: nastyText(random), label: nastyText(random), id: 'x', type: 'y' }],
          {},
        ),
      ].join('')}`.slice(0, -1);
      if (agrees(text)) taken++;
    }
    expect(taken).to.be.greaterThan(333);
  });

  it('accepts no text that YAML reads differently, whatever a person changed', () => {
    const random = new Random(seed);
    const lines = [
      'id: a',
      'label: b c',
      'n: 12',
      'f: 1.50',
      'z: -0',
      'q: "x\\ty"',
      "s: 'it''s'",
      'm: {a: b, c: "d", e: [1, x y]}',
      't: true',
      'l:\n  - a\n  - "b"\n  - {to: x}',
      'v: null',
      'w: |-\n  two\n\n  lines: of',
      'x: |\n  a\n   # b',
    ];
    const scraps = [
      ' ',
      '  ',
      '\t',
      '\n',
      ':',
      ': ',
      '#',
      ' #c',
      '-',
      '- ',
      "'",
      '"',
      '{',
      '}',
      '[',
      ']',
      ',',
      ', ',
      '&a ',
      '*a',
      '!!str ',
      '|',
      '>',
      '\\',
      '?',
      '~',
      '0',
      '.',
      'e',
      '\r',
      'é',
    ];
    let taken = 0;
    const rounds = roundsOf(800);
    for (let i = 0; i < rounds; i++) {
      let text = `\n${lines.filter(() => random.chance(0.4)).join('\n')}`;
      for (let edits = random.integer(0, 2); edits > 0; edits--) {
        const at = random.integer(0, text.length);
        text = text.slice(0, at) + random.pick(scraps) + text.slice(at + (random.chance(0.4) ? 1 : 0));
      }
      if (agrees(text)) taken++;
    }
    expect(taken).to.be.greaterThan(rounds / 6);
  });

  it('leaves comments, equal keys and odd spacing to YAML', () => {
    for (const text of [
      'a: b',
      '\na: b # c',
      '\na:  b',
      '\na: b\n',
      '\na: b\na: c',
      '\na: {b: c,d: e}',
      '\na:\n- b',
      '\na: >\n  b',
      '\na: |+\n  b',
      '\na: |\n   b',
      '\n',
      '\na:',
      '\r\na: b',
    ]) {
      if (text !== '\na: b\n') expect(readCanonical(text), text).to.equal(undefined);
    }
  });
});
