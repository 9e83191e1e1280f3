import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Finished } from './command.ts';
import { repository } from './server-process.ts';

/** Other programs send no telemetry and do not check for updates. */
const quiet = {
  NO_UPDATE_NOTIFIER: '1',
  NO_COLOR: '1',
};

/** Runs a program that is a development dependency with this Node: `path` is below node_modules. */
export function runOthersProgram(path: string, argv: readonly string[]): Promise<Finished> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('PLANNER_') && name !== 'NODE_OPTIONS');
  const child = spawn(process.execPath, [join(repository, 'node_modules', path), ...argv], {
    cwd: repository,
    env: { ...Object.fromEntries(own), ...quiet },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output, errors }));
  });
}
