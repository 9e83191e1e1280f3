/**
 * `npm test` runs every check and every test. `npm test -- store cli` runs the tests of these layers alone, and `npm test -- store/journal`
 * those of one file. `npm run test:quick` runs the checks of the sources and the quick tests, `npm run mocha` every test without a check.
 * Options are passed to mocha: `npm run mocha -- --jobs=2`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { compiledCode } from './support/compiled-code.ts';
import { all, filesOf, quick, withFewBrowsers } from './parts.ts';

const quickChecks = ['lint', 'layers', 'generate:check'];

/** Tests wait for a tenth of their time, in which the checks run. Together they take this much memory, of which the linter takes 2.5 GB. */
const besideBytesMin = 10 * 2 ** 30;

function start(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, args, { cwd: join(import.meta.dirname, '..'), stdio: 'inherit' });
}

/** Resolves to the exit code; that of a signal is 1. */
async function ended(program: ChildProcess): Promise<number> {
  const [code] = (await once(program, 'exit')) as [number | null];
  return code ?? 1;
}

/**
 * In a new clone, compiles what all processes of the tests load, and keeps it for them: otherwise each compiles it, and writes the same
 * files when it ends. Coverage needs code that is compiled again.
 */
async function compileOnce(): Promise<void> {
  if (process.env['NODE_V8_COVERAGE'] !== undefined || existsSync(compiledCode)) return;
  await ended(start('test/support/compile-sources.ts'));
}

/** Runs checks and tests, beside each other if the memory is enough. A check that fails ends the tests. Returns the exit code. */
async function run(checks: readonly string[] | undefined, tests: readonly string[]): Promise<number> {
  if (checks === undefined) return ended(start(...tests));
  const checking = ended(start('test/checks.ts', ...checks));
  if (process.availableMemory() < besideBytesMin && (await checking) !== 0) return 1;
  await compileOnce();
  const program = start(...tests);
  const testing = ended(program);
  if ((await checking) === 0) return testing;
  program.kill('SIGINT');
  await testing;
  console.error('A check failed, which is above, and ended the tests.');
  return 1;
}

const isAll = (parts: readonly string[]): boolean => parts.length === 0 || parts[0] === 'all';

function patterns(parts: readonly string[]): readonly string[] {
  if (!isAll(parts)) return (parts[0] === 'quick' ? quick : parts).map(filesOf);
  const { groups, files: inGroups } = withFewBrowsers(all);
  for (const { path, source } of groups) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, source);
  }
  return inGroups;
}

/** As many processes as the tests need that mocha does not start by itself. */
function processes(): readonly string[] {
  if (given.some((option) => option.startsWith('--jobs') || option === '--no-parallel')) return [];
  // Two of them have the page, which waits for its browser.
  if (isAll(parts)) return ['--jobs=7'];
  // Quick tests do not wait: a third process would load the sources once more.
  if (parts[0] === 'quick') return [`--jobs=${availableParallelism()}`];
  // Each process starts a browser and loads the page, which takes four seconds of a processor.
  return parts.join() === 'web' ? ['--jobs=3'] : [];
}

const given = process.argv.slice(2).filter((arg) => arg.startsWith('-'));
const parts = process.argv.slice(2).filter((arg) => !arg.startsWith('-'));
// Before a check, which takes longer: a name may be wrong.
const files = patterns(parts);
const options = [...processes(), ...given];
const checks = parts.length === 0 ? [] : parts[0] === 'quick' ? quickChecks : undefined;
process.exitCode = await run(checks, [
  ...['node_modules/mocha/bin/mocha.js', '--require', './test/support/in-memory.ts'],
  ...options,
  ...files,
]);
