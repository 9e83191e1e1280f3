import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const repository = join(import.meta.dirname, '..');

/** These begin: the simulation runs at a lower priority, and the tests of the page last longest. */
const first = ['simulation', 'web'];
/** Folders whose tests wait for processes, databases and clocks most of the time. */
const waiting = [
  ...['bridge', 'crash', 'docs', 'examples', 'external-edits', 'git', 'hosted', 'hostile'],
  ...['proxies', 'soak', 'trips', 'webhooks', 'working-copy'],
];
/** Folders of short files: none runs alone at the end. */
const last = ['domain', 'http', 'mcp', 'pages', 'remote', 'rest', 'schema'];

const filesIn = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: repository })
    .map((path) => path.replaceAll('\\', '/'))
    .sort();

/** Two lists as one, in which both last until the end. */
function mixed(some: readonly string[], others: readonly string[]): readonly string[] {
  const places = (list: readonly string[]): [number, string][] =>
    list.map((path, at) => [(at + 0.5) / list.length, path]);
  return [...places(some), ...places(others)].sort(([a], [b]) => a - b).map(([, path]) => path);
}

/** All tests, in the order in which they begin: a file that waits runs next to one that computes. */
export const all: readonly string[] = [
  ...first.flatMap((name) => filesIn(`test/${name}/**/*.test.ts`)),
  ...mixed(
    waiting.flatMap((name) => filesIn(`test/${name}/**/*.test.ts`)),
    [
      ...filesIn('test/*.test.ts'),
      ...filesIn(`test/!(${[...first, ...waiting, ...last].join('|')})/**/*.test.ts`).toReversed(),
    ],
  ),
  ...last.flatMap((name) => filesIn(`test/${name}/**/*.test.ts`)),
];

/** The tests of the page run in this many processes. Each of them starts a browser and loads the page, which takes four seconds of a processor. */
const browsers = 2;

/** A file that imports test files, which one process then runs: mocha gives each file of its own to the next process. */
export interface Group {
  readonly path: string;
  readonly source: string;
}

/** The files as mocha is given them, with those of the page in groups, one for each browser. */
export function withFewBrowsers(paths: readonly string[]): {
  readonly groups: readonly Group[];
  readonly files: readonly string[];
} {
  const ofPage = paths.filter((path) => path.startsWith('test/web/'));
  const groups = Array.from({ length: browsers }, (_, at) => {
    const own = ofPage.filter((_path, index) => index % browsers === at);
    return {
      path: join(repository, `node_modules/.cache/page-tests/${at + 1}-of-${browsers}.mjs`),
      source: own.map((path) => `import '${pathToFileURL(join(repository, path)).href}';\n`).join(''),
    };
  });
  return { groups, files: [...groups.map(({ path }) => path), ...paths.filter((path) => !ofPage.includes(path))] };
}

/** Folders whose tests use neither a browser nor a database, and only their own process. */
export const quick: readonly string[] = [
  ...['spec', 'operations', 'domain', 'gate', 'http', 'mcp', 'rendering', 'rest', 'schema'],
];

/** The pattern of a part of the tests: `store` or `store/log` is a folder, `store/journal` a file, `base` what is in no folder. */
export function filesOf(part: string): string {
  const name = part.replace(/^test\//, '').replace(/(?:\.test\.ts|\/)$/, '');
  if (name === 'base') return 'test/*.test.ts';
  if (existsSync(join(repository, 'test', `${name}.test.ts`))) return `test/${name}.test.ts`;
  if (existsSync(join(repository, 'test', name))) return `test/${name}/**/*.test.ts`;
  throw new Error(`There is no test/${name}: name a folder of test/, such as store, or a file, such as store/journal.`);
}
