import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { filesBelow } from './citations.ts';
import { localImports } from './imports.ts';

const src = join(import.meta.dirname, '../../src');

/** A row of the map in src/README.md: the name in backticks in the first column (a folder's ends in `/`), the text of the second. */
interface Row {
  readonly name: string;
  readonly text: string;
}

function mapOf(readme: string): Row[] {
  const rows = readme.matchAll(/^\| *((?:`[^`]+`[ ,]*)+) *\| *(.*?) *\|/gm);
  return [...rows].flatMap(([, names = '', text = '']) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => ({ name, text })),
  );
}

/** The entries of src/, folders with a `/`. Empty folders do not count: git does not keep them. */
function onDisk(): string[] {
  return readdirSync(src, { withFileTypes: true })
    .filter((entry) => entry.name !== 'README.md')
    .filter((entry) => !entry.isDirectory() || readdirSync(join(src, entry.name)).length > 0)
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
}

/** The row that a file belongs to. */
function rowOf(path: string): string {
  const [first = '', ...rest] = relative(src, path).split(sep);
  return rest.length > 0 ? `${first}/` : first;
}

describe('The map of src', () => {
  // The first table; the others describe the contents of folders.
  const map = mapOf(readFileSync(join(src, 'README.md'), 'utf8').split('\n## ')[0]!);
  const names = map.map(({ name }) => name);

  it('names each entry of src once [A.map]', () => {
    expect([...names].sort()).to.deep.equal(onDisk().sort());
  });

  it('has one sentence per entry [A.map]', () => {
    const wrong = map.filter(({ text }) => !/^[^.!?]+(?:\.\w[^.!?]*)*\.$/.test(text));
    expect(wrong).to.deep.equal([]);
  });

  it('is in the order of the layers: imports go down it [A.map, A.layers]', () => {
    const upwards = filesBelow(src, '.ts')
      .flatMap((path) => localImports(path).map((to) => [path, to] as const))
      .filter(([, to]) => !relative(src, to).startsWith('..'))
      .filter(([from, to]) => names.indexOf(rowOf(to)) < names.indexOf(rowOf(from)))
      .map(([from, to]) => `${relative(src, from)} imports ${relative(src, to)}`);
    expect(upwards).to.deep.equal([]);
  });
});
