import { expect } from 'chai';
import { limits } from '../../../src/base/limits.ts';
import { findFences, readFrontMatter } from '../../../src/store/files/codec/front-matter.ts';
import type { MapNode } from '../../../src/store/files/codec/node.ts';
import { Unreadable } from '../../../src/store/files/codec/source-text.ts';

/** The front matter and the body of a text; undefined without front matter. */
function split(text: string): { block: string; body: string; root: MapNode | undefined } | undefined {
  const fences = findFences(text);
  if (fences === undefined) return undefined;
  const { from, to, bodyStart } = fences;
  return { block: text.slice(from, to), body: text.slice(bodyStart), root: readFrontMatter(text, fences) };
}

/** The keys of the map and its plain values. */
function values(text: string): Record<string, unknown> | undefined {
  const root = split(text)?.root;
  return root && Object.fromEntries(root.keys.map((key, i) => [key, (root.values[i] as { value?: unknown }).value]));
}

function thrownBy(text: string): Unreadable {
  try {
    split(text);
  } catch (error) {
    expect(error).to.be.instanceOf(Unreadable);
    return error as Unreadable;
  }
  return expect.fail(`was read: ${text.slice(0, 50)}`);
}

describe('Front matter [A.trust.front-matter]', () => {
  it('is between its fences, with any line endings, blanks and name of its language', () => {
    for (const opening of ['---', '---yaml', '--- yml', '---YAML', '---Yml  ', '---   '])
      for (const end of ['\n', '\r\n']) {
        const text = [opening, 'id: x', 'title: y', '---  ', 'Body', ''].join(end);
        expect(values(text), text).to.deep.equal({ id: 'x', title: 'y' });
        expect(split(text)!.body, text).to.equal(`Body${end}`);
        expect(split(text)!.block.trim(), text).to.equal(`id: x${end}title: y`);
        expect(split(text)!.block.startsWith('\n'), text).to.equal(true);
      }
    expect(split('---\nid: x\n---')).to.include({ body: '' });
  });

  it('is empty if there are only comments, blank lines or null', () => {
    const empty = { kind: 'map', keys: [], values: [], at: 0 };
    for (const block of ['# nothing yet', '#', '# a\n\n# b', '~', 'null # nothing'])
      expect(split(`---\n${block}\n---\nmore\n`), block).to.deep.include({ root: empty, body: 'more\n' });
    expect(split('---\n---\nmore\n')).to.deep.include({ root: empty, body: 'more\n' });
    // A blank line after a rule begins a page.
    for (const text of ['---\n\n---\nmore', '---\n\n# a\n\n---\nmore', '---\r\n \r\n---\r\nmore'])
      expect(split(text)?.root, text).to.equal(undefined);
  });

  it('does not exist in a page that begins with a horizontal rule, whatever follows', () => {
    for (const text of [
      ...[
        '',
        'text',
        'abc\nid: x\n---\nmore',
        '--',
        '---',
        '--- ',
        '---yaml',
        '---js',
        '---\n',
        '---\n\nx',
        '---\nJust a line',
      ],
      ...['--- A page\ntext\n---\nmore', '--- 5 js\ntext\n---\n', '---?js\ntext\n---\n', '---js\nwithout an end'],
      // A text like a key begins no line, or follows the line that is no end.
      ...[
        '---\n* a note: [b\n---\nx',
        '---\n* paid: [b\n---\nx',
        '---\nprose\n---x\nid: 5\n',
        '---\nprose\nwithout: end',
      ],
      ...['---\nJust a line.\n---\nmore', '---\n- a\n---\nmore', '---\n"a"\n---\nmore'],
    ])
      expect(split(text)?.root, text).to.equal(undefined);
  });

  it('is rejected, with its line, if it is meant as such but cannot be read', () => {
    const notClosed = 'The front matter that begins in line 1 is not closed by a line ---.';
    for (const [text, offset, reason] of [
      ['---\nid:', 0, notClosed],
      ['---\nid: x\n', 0, notClosed],
      ['---\n# mine\n\n  "a.key" : 5\nb: 6', 0, notClosed],
      ['---\nprose\nid: 5\n', 0, notClosed],
      ['---\nid: x\n---x\nmore\n---\n', 10, notClosed],
      ['---js\n---\n', 0, 'Front matter in js is not read: only YAML is.'],
      ['---yamlx\nid: x\n---\n', 0, 'Front matter in yamlx is not read: only YAML is.'],
      ['--- xyaml\nid: x\n---\n', 0, 'Front matter in xyaml is not read: only YAML is.'],
      ['--- c++.x\nid: x\n---\n', 0, 'Front matter in c++.x is not read: only YAML is.'],
      ['---\n"a\nid: b"\n---\n', 3, 'The front matter is not a map of keys and values.'],
    ] as const)
      expect(thrownBy(text), text).to.include({ offset, message: reason });
    const { offset, message } = thrownBy('---yaml\nid: x\ntitle: "open\n---\n');
    expect(message).to.match(/YAML/);
    expect(offset).to.be.greaterThan('---yaml\nid: x\n'.length);
  });

  describe('has limits', () => {
    const bytesMax = limits.frontMatterBytesMax;
    /** A block that only YAML at large reads, of so many bytes with the line ending before it. */
    function block(bytes: number, before = 'id: x # y\n'): string {
      const text = `\n${before}t: `;
      const left = bytes - text.length;
      return `${text}${'ä'.repeat(Math.floor(left / 2))}${'a'.repeat(left % 2)}`;
    }

    it('in bytes, if it is meant as front matter', () => {
      expect(Buffer.byteLength(block(bytesMax))).to.equal(bytesMax);
      expect(values(`---${block(bytesMax)}\n---\n`)).to.include({ id: 'x' });
      const message = `The front matter has ${bytesMax + 1} bytes; at most ${bytesMax} are read, unless it is as the service writes it.`;
      expect(thrownBy(`---${block(bytesMax + 1)}\n---\n`)).to.include({ offset: 0, message });
      // The first key comes late, but not too late.
      const comment = `# ${'c'.repeat(100)}\nid: x # y\n`;
      expect(thrownBy(`---${block(bytesMax + 1, comment)}\n---\n`)).to.include({ message });
      expect(split(`---\n${'prose '.repeat(bytesMax)}\n---\n`)).to.equal(undefined);
      expect(split(`---\n${'* prose\n'.repeat(bytesMax)}id: x\n---\n`)).to.equal(undefined);
    });

    it('in bytes, if the service wrote it', () => {
      const most = limits.canonicalFrontMatterBytesMax;
      const written = (bytes: number): string =>
        `---\nid: x\ntitle: ${'a'.repeat(bytes - '\nid: x\ntitle: '.length)}\n---\n`;
      expect(values(written(most))!['title']).to.have.length(most - '\nid: x\ntitle: '.length);
      expect(thrownBy(written(most + 1)).message).to.include(`has ${most + 1} bytes`);
    });

    it('in consecutive blank lines', () => {
      const blank = (lines: string, behind = ''): string => `---\nid: x # y${lines}${behind}\n---\n`;
      expect(values(blank('\n'.repeat(1000)))).to.deep.equal({ id: 'x' });
      expect(values(blank(' \n'.repeat(1000)))).to.deep.equal({ id: 'x' });
      const thrown = thrownBy(blank('\n'.repeat(1001), 'a: b'));
      expect(thrown.message).to.equal('The front matter has too many blank lines in a row.');
      expect(thrown.offset).to.equal('---\nid: x # y'.length + 1000);
      for (const ending of ['\r', '\u2028', '\u2029', ' \n \t'])
        expect(thrownBy(blank(ending.repeat(1001))).message, JSON.stringify(ending)).to.match(/blank lines/);
      expect(values(blank(' '.repeat(2000)))).to.deep.equal({ id: 'x' });
      expect(values(blank('\n'.repeat(900), `a: b${'\n'.repeat(900)}`))).to.deep.equal({ id: 'x', a: 'b' });
      const list = Array.from({ length: 1100 }, (_, i) => `\n  - line ${i}`).join('');
      expect(split(`---\nid: x # y\nlist:${list}\n---\n`)!.root!.keys).to.have.length(2);
    });
  });
});
