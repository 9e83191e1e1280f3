import { expect } from 'chai';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { all, filesOf, quick, withFewBrowsers } from '../parts.ts';
import { filesBelow } from './citations.ts';

const repository = join(import.meta.dirname, '../..');

/** Layers that wire others, or that no user runs: those that use them have the tests. */
const withoutTests = ['background', 'build', 'main', 'reference'];

/** The sources of the tests, by path. Those of the gate contain examples. */
const sources = new Map(
  filesBelow(join(repository, 'test'), '.test.ts')
    .map((path) => [relative(repository, path).replaceAll('\\', '/'), readFileSync(path, 'utf8')] as const)
    .filter(([path]) => !path.startsWith('test/gate/')),
);

/** How often the sources of tests contain what takes time. */
const count = (pattern: RegExp, isCounted = (_source: string): boolean => true): number =>
  [...sources.values()].filter(isCounted).reduce((sum, source) => sum + [...source.matchAll(pattern)].length, 0);

const isOfPage = (source: string): boolean => /\bbrowserTests\w*\(/.test(source);

/** The files of patterns, as mocha reads them, with repetitions. */
const found = (patterns: readonly string[]): string[] =>
  patterns.flatMap((pattern) => globSync(pattern, { cwd: repository })).map((path) => path.replaceAll('\\', '/'));

describe('The suite', () => {
  it('runs each test file once', () => {
    const files = filesBelow(join(repository, 'test'), '.test.ts');
    const paths = files.map((path) => relative(repository, path).replaceAll('\\', '/'));
    expect(found(all).sort()).to.deep.equal(paths.sort());
    const { groups, files: started } = withFewBrowsers(all);
    const imported = groups.flatMap(({ source }) => [...source.matchAll(/import '([^']+)';/g)].map(([, url]) => url!));
    const alone = started.filter((path) => !groups.some((group) => group.path === path));
    const inGroups = imported.map((url) => relative(repository, fileURLToPath(url)).replaceAll('\\', '/'));
    expect([...inGroups, ...alone].sort()).to.deep.equal(paths);
  });

  it('has tests of each layer, which run alone', () => {
    const layers = readdirSync(join(repository, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !withoutTests.includes(entry.name))
      .map(({ name }) => name);
    expect(layers.filter((name) => found([filesOf(name)]).length === 0)).to.deep.equal([]);
    expect(filesOf('store/journal')).to.equal('test/store/journal.test.ts');
    expect(() => filesOf('stroe')).to.throw('There is no test/stroe');
    expect(withoutTests.filter((name) => existsSync(join(repository, 'test', name)))).to.deep.equal([]);
  });

  it('is quick without browsers, databases and programs', () => {
    const slow = /\bbrowserTests|support\/(?:postgres|chromium)|\b(?:runProcess|new Command|BridgeProcess\.open)\(/;
    const parts = found(quick.map(filesOf));
    expect(parts.filter((path) => slow.test(sources.get(path) ?? ''))).to.deep.equal([]);
  });

  /**
   * Of processor time, a test of the page takes 1.4 s and a load of the page 1 s, a process 0.3 to 1 s, a file over PostgreSQL 3 s: these are half of the
   * suite, which has to end within six minutes. A commit that raises a figure says why.
   */
  it('uses the browser, processes and databases within its budget', () => {
    expect(count(/^ {2,}it\(/gm, isOfPage), 'tests of the page').to.be.at.most(114);
    expect(count(/\.(?:goto|reload)\(|\bown: '/g, isOfPage), 'loads of the page').to.be.at.most(36);
    expect(count(/\b(?:runProcess|new Command|spawn|BridgeProcess\.open)\(/g), 'processes').to.be.at.most(50);
    const withDatabase = [...sources].filter(([, source]) => /support\/postgres/.test(source));
    expect(withDatabase.length, 'files over a database').to.be.at.most(23);
  });

  /** The simulator finds their schedules, too. One stays while nothing else shows its mechanism in seconds. */
  it('keeps few shrunk schedules of the simulator', () => {
    const found = [...sources].filter(([path]) => path.startsWith('test/store/found-'));
    expect(found.length).to.be.at.least(1);
    expect(found.flatMap(([, source]) => source.match(/^ *it\(/gm) ?? []).length).to.be.at.most(55);
  });
});
