import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '..');

/** These begin: the simulation runs at a lower priority, and the browser, which the files of the page share, ends when they are done. */
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
