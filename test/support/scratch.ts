import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory of a test's own, removed after each test of the suite that calls this. */
export function scratchDirectory(): { readonly path: string } {
  const scratch = { path: '' };
  beforeEach(() => {
    scratch.path = realpathSync(mkdtempSync(join(tmpdir(), 'planner-test-')));
  });
  afterEach(() => rmSync(scratch.path, { recursive: true, force: true, maxRetries: 10 }));
  return scratch;
}
