import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from './until.ts';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
const built = join(repository, 'dist', 'web', 'index.html.br');
const caches = join(repository, 'node_modules', '.cache');
/** Holds the process that builds. A build empties `dist/web` first: two at a time leave half a page to the tests. */
const lock = join(caches, 'page-build.lock');

/** Builds the page if it does not exist or is older than its sources. Of several processes one builds, and the others wait. */
export async function buildIfStale(): Promise<void> {
  mkdirSync(caches, { recursive: true });
  while (isStale()) {
    if (takeLock()) return buildLocked();
    await until(async () => !existsSync(lock) || holderEnded());
    if (holderEnded()) rmSync(lock, { force: true });
  }
  // `index.html.br` is not the last file of a build, which ends with the lock.
  await until(async () => !existsSync(lock) || holderEnded());
}

function buildLocked(): void {
  try {
    if (!isStale()) return;
    execFileSync(process.execPath, ['src/build.ts', '--page'], { cwd: repository, stdio: 'inherit' });
  } finally {
    rmSync(lock, { force: true });
  }
}

function isStale(): boolean {
  if (!existsSync(built)) return true;
  const newest = Math.max(
    ...readdirSync(join(repository, 'src', 'web'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
  return statSync(built).mtimeMs < newest;
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
function holderEnded(): boolean {
  try {
    const holder = Number(readFileSync(lock, 'utf8'));
    // Empty between creation and writing.
    if (holder > 0) process.kill(holder, 0);
    return false;
  } catch (error) {
    return ['ESRCH', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
