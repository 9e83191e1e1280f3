import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * To be imported by whatever starts tests: this process and its children keep their settings in a directory of their
 * own, and read no settings of the person who runs the tests, neither Planner's nor git's. The directory is removed
 * when the process ends.
 */
const directory = mkdtempSync(join(tmpdir(), 'planner-settings-'));
process.env['XDG_CONFIG_HOME'] = directory;
process.env['GIT_CONFIG_GLOBAL'] = '/dev/null';
process.env['GIT_CONFIG_SYSTEM'] = '/dev/null';
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
