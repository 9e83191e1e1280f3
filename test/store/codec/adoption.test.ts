import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode, patch } from '../../../src/store/files/codec/codec.ts';
import { Random } from '../../support/random.ts';
import { documentShape } from '../../support/shapes.ts';

const filesMax = 1100;
const root = join(import.meta.dirname, '../../../node_modules');

/** Every Markdown file of the packages that this project uses, as their authors published them. */
function markdownFiles(): string[] {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:md|markdown)$/i.test(name))
    // The workspaces of this project are there, too.
    .filter((name) => !name.startsWith('@planner-app'));
  return names.sort().slice(0, filesMax);
}

/** The fields of a file, including absent ones; undefined where it cannot be read. */
function held(bytes: Uint8Array): Record<string, unknown> | undefined {
  const decoded = decode(documentShape, bytes);
  if (!decoded.ok) return undefined;
  const absent = Object.fromEntries(documentShape.fields.map((field) => [field.name, field.absent]));
  return { ...absent, ...decoded.fields };
}

const frontMatter = '---\n# by hand\ntitle:   "A page"  # so it is called\nauthor: {name: me}\nstatus: draft\n---\n';
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** Each file as it is, and as it would be with front matter, on Windows, and out of an editor that writes byte order marks. */
const variants: Record<string, (bytes: Buffer) => Buffer> = {
  'as they are': (bytes) => bytes,
  'below front matter': (bytes) => Buffer.concat([Buffer.from(frontMatter), bytes]),
  'with CRLF line endings and front matter': (bytes) =>
    Buffer.from((frontMatter + bytes.toString()).replace(/\r?\n/g, '\r\n')),
  'with a byte order mark': (bytes) => Buffer.concat([byteOrderMark, bytes]),
};

describe('Markdown files of any origin [A.edit.adopt]', () => {
  // Each file in two variants, others in the next runs.
  const random = Random.announced('variants of Markdown files');
  const offset = random.integer(0, 1);
  const files = markdownFiles();
  let adopted = 0;

  for (const [at, [variant, make]] of Object.entries(variants).entries()) {
    const own = files.filter((_, index) => (index + offset) % 2 === at % 2);

    it(`are adopted ${variant}; one field changed, every other byte stays, and so the front matter if the body changes`, () => {
      for (const name of own) {
        const source = make(readFileSync(join(root, name)));
        const before = held(source);
        expect(before, name).not.to.equal(undefined);
        expectFieldChanged(name, source, before!);
        expectBodyChanged(name, source, before!);
        adopted++;
      }
    });
  }

  it('number 2,000 and more', () => {
    expect(adopted).to.be.at.least(2000);
  });
});

function expectFieldChanged(name: string, source: Buffer, before: Record<string, unknown>): void {
  const result = patch(documentShape, source, before, { ...before, status: 'published', links: [] });
  expect(held(result), name).to.deep.equal({ ...before, status: 'published' });
  expect(onlyStatusChanged(source, result), name).to.equal(true);
}

function expectBodyChanged(name: string, source: Buffer, before: Record<string, unknown>): void {
  const body = `${before['body'] as string}\n\nOne more line.`;
  const result = patch(documentShape, source, before, { ...before, body });
  const kept = source.length - (/\r?\n$/.exec(source.toString('latin1'))?.[0].length ?? 0);
  expect(result.subarray(0, kept).equals(source.subarray(0, kept)), name).to.equal(true);
  expect(held(result), name).to.deep.equal({ ...before, body });
}

/** True where the result is the source but for the status: replaced in its place, or in front matter put before the text. */
function onlyStatusChanged(source: Buffer, result: Buffer): boolean {
  const [from, to] = [source.toString(), result.toString()];
  if (/^status: draft\r?$/m.test(from.slice(0, 200))) return to === from.replace('status: draft', 'status: published');
  const mark = from.startsWith('\ufeff') ? 1 : 0;
  if (
    to.endsWith(from.slice(mark)) &&
    /^\ufeff?---\r?\nstatus: published\r?\n---\r?\n$/.test(to.slice(0, mark + to.length - from.length))
  )
    return true;
  return to.replace(/status: published\r?\n/, '') === from;
}
