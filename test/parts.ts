import { existsSync } from 'node:fs';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '..');

/**
 * Folders that begin first: the simulations, the tests of the page and those that start processes spend most of their time waiting, or run at
 * lower priority, and other tests run meanwhile.
 */
const first = ['simulation', 'web', 'bridge', 'crash', 'docs', 'git', 'hostile', 'webhooks', 'working-copy'];

/** The patterns of all tests, in the order in which they begin. */
export const all: readonly string[] = [
  ...first.map((name) => `test/${name}/**/*.test.ts`),
  `test/!(${first.join('|')})/**/*.test.ts`,
  'test/*.test.ts',
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
