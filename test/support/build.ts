import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const caches = join(repository, 'node_modules', '.cache');
/** Holds the process that builds. A build replaces files that the tests of others are about to load. */
const lock = join(caches, 'test-build.lock');
const pollMs = 50;

interface Part {
  /** The program that builds it, and its options. */
  readonly command: readonly string[];
  /** The build is as old as this file. */
  readonly built: string;
  readonly isSource: (path: string) => boolean;
}

const page: Part = {
  command: ['src/build/build-page.ts'],
  built: 'dist/web/index.html.br',
  isSource: (path) => path.startsWith(`web${sep}`) || path === 'build-page.ts',
};
const program: Part = {
  command: ['src/build/build.ts', '--program'],
  built: 'dist/main.js',
  isSource: (path) => path.endsWith('.ts') && !path.startsWith(`web${sep}`),
};

/** Builds the page unless it is as new as its sources. */
export function buildPage(): void {
  buildIfStale(page);
}

/**
 * The program that tests start in processes of their own: the build, as users start it, which is made here unless it is as new as its
 * sources. It starts in a third of the processor time of the sources. Coverage needs the sources: it is of single modules.
 */
export function builtProgram(): string {
  if (process.env['NODE_V8_COVERAGE'] !== undefined) return join(repository, 'src/main.ts');
  if (!isBuilt) buildIfStale(program);
  isBuilt = true;
  return join(repository, program.built);
}

let isBuilt = false;

/** One of several processes builds, and the others wait. */
function buildIfStale(part: Part): void {
  mkdirSync(caches, { recursive: true });
  while (isStale(part)) {
    if (takeLock()) return buildLocked(part);
    waitForLock();
  }
  // The file that is compared is not the last one of a build, which ends with the lock.
  waitForLock();
}

function waitForLock(): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (existsSync(lock)) {
    if (hasHolderEnded()) rmSync(lock, { force: true });
    else Atomics.wait(cell, 0, 0, pollMs);
  }
}

function buildLocked(part: Part): void {
  try {
    if (!isStale(part)) return;
    execFileSync(process.execPath, part.command, { cwd: repository, stdio: 'inherit' });
  } finally {
    rmSync(lock, { force: true });
  }
}

function isStale({ built, isSource }: Part): boolean {
  const path = join(repository, built);
  if (!existsSync(path)) return true;
  const source = join(repository, 'src');
  const newest = Math.max(
    ...readdirSync(source, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && isSource(relative(source, join(entry.parentPath, entry.name))))
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
  return statSync(path).mtimeMs < newest;
}

function takeLock(): boolean {
  try {
    writeFileSync(lock, `${process.pid}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A build that was killed leaves its lock. */
function hasHolderEnded(): boolean {
  try {
    const holder = Number(readFileSync(lock, 'utf8'));
    // Empty between creation and writing.
    if (holder > 0) process.kill(holder, 0);
    return false;
  } catch (error) {
    return ['ESRCH', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
