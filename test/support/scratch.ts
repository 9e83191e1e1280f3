import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * A directory of a test's own below `parent`. Removed when the suite's own hooks have run, which may still close its
 * users.
 */
export function scratchDirectory(parent = tmpdir()): { readonly path: string } {
  const scratch = { path: '' };
  const remove = (): void => rmSync(scratch.path, { recursive: true, force: true, maxRetries: 10 });
  beforeEach(() => {
    if (scratch.path !== '') remove();
    scratch.path = realpathSync(mkdtempSync(join(parent, 'planner-test-')));
  });
  after(() => {
    if (scratch.path !== '') remove();
  });
  return scratch;
}
