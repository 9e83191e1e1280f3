import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { keepRareOnly } from './support/rarely.ts';

/** Defines the tests that the default suite leaves out: those of `rarely`, in files whose other tests are in the suite. */
const rootSuite = describe('Tests that the default suite leaves out', () => undefined).parent!;
const former = rootSuite.suites.length;
const paths = globSync('**/*.test.ts', { cwd: import.meta.dirname }).map((path) => join(import.meta.dirname, path));
for (const path of paths.sort())
  if (/^ +rarely\(/m.test(readFileSync(path, 'utf8'))) await import(pathToFileURL(path).href);
keepRareOnly(rootSuite.suites.slice(former));
