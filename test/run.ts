/**
 * `npm test` runs every check, then every test. `npm test -- store cli` runs the tests of these layers alone, and `npm test -- store/journal`
 * those of one file. `npm run test:quick` runs the checks of the sources and the quick tests, `npm run mocha` every test without a check.
 * Options are passed to mocha: `npm run mocha -- --jobs=2`.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { all, filesOf, quick } from './parts.ts';

const quickChecks = ['lint', 'layers', 'generate:check'];

/** Runs a program to its end. If it fails, this one ends with its exit code. */
function run(...args: readonly string[]): void {
  const cwd = join(import.meta.dirname, '..');
  const { status, error } = spawnSync(process.execPath, args, { cwd, stdio: 'inherit' });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

function patterns(parts: readonly string[]): readonly string[] {
  if (parts.length === 0 || parts[0] === 'all') return all;
  return (parts[0] === 'quick' ? quick : parts).map(filesOf);
}

/** Fewer processes than mocha starts by itself. */
function processes(): readonly string[] {
  if (given.some((option) => option.startsWith('--jobs') || option === '--no-parallel')) return [];
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
if (parts.length === 0) run('test/checks.ts');
if (parts[0] === 'quick') run('test/checks.ts', ...quickChecks);
run('node_modules/mocha/bin/mocha.js', '--require', './test/support/in-memory.ts', ...options, ...files);
