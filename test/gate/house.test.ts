import { expect } from 'chai';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
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

/** The programs of the service and of the page. */
const sources = [...filesBelow(src, '.ts'), ...filesBelow(src, '.tsx')];

/** The most files in one folder. */
const filesMax = 45;

/** The imports of each folder from others: those of its own files, those of folders in it not. */
function folderImports(): Map<string, Map<string, string>> {
  const folders = new Map<string, Map<string, string>>();
  for (const path of sources) {
    const from = relative(src, dirname(path));
    for (const imported of localImports(path).filter((to) => to.startsWith(`${src}${sep}`))) {
      const to = relative(src, dirname(imported));
      if (to === from) continue;
      const imports = folders.get(from) ?? new Map<string, string>();
      folders.set(from, imports.set(to, `${relative(src, path)} imports ${relative(src, imported)}`));
    }
  }
  return folders;
}

/** The folders that can be reached from one. */
function reachedFrom(start: string, folders: ReadonlyMap<string, ReadonlyMap<string, string>>): Set<string> {
  const reached = new Set([start]);
  // Iterating a set includes elements that are added during it.
  for (const folder of reached) for (const next of folders.get(folder)?.keys() ?? []) reached.add(next);
  return reached;
}

describe('The folders of src', () => {
  it('import each other one way only, types included [A.layers]', () => {
    const folders = folderImports();
    const rings = [...folders].flatMap(([from, imports]) =>
      [...imports].filter(([to]) => reachedFrom(to, folders).has(from)).map(([, example]) => example),
    );
    expect(rings).to.deep.equal([]);
  });

  it(`have at most ${filesMax} files [A.layers]`, () => {
    const large = [...Map.groupBy(sources, (path) => dirname(path))].filter(([, files]) => files.length > filesMax);
    expect(large.map(([folder, files]) => `${relative(src, folder)}: ${files.length}`)).to.deep.equal([]);
  });
});

describe('The map of src', () => {
  // The first table; the others describe what is inside folders.
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
