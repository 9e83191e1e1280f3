import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * To be imported by whatever starts tests: this process and those that it starts keep their settings in a directory of their own, and never in
 * that of the person who runs the tests. Removed when the process ends.
 */
const directory = mkdtempSync(join(tmpdir(), 'planner-settings-'));
process.env['XDG_CONFIG_HOME'] = directory;
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
