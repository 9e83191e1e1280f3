import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repository } from '../support/server-process.ts';
import { cpuFile } from './cpu-file.ts';
import { failureMark, passedMark } from './first-failure.ts';
import { absolute } from './targets.ts';
import { timeLimit } from './time-limit.ts';

export interface TestRun {
  /** `none`: it ended without a result, which a mutant also achieves. */
  readonly outcome: 'passed' | 'failed' | 'timed out' | 'none';
  /** The first failing test and its message. */
  readonly failure?: string;
  readonly ms: number;
  /** Processor time of its processes, except those that were killed. */
  readonly cpuMs: number;
}

export interface TestRunOptions {
  /** The source file that has another text in every process of this run. */
  readonly substitute?: { readonly file: string; readonly text: string };
  /** Where V8 writes what was run. */
  readonly coverage?: string;
  readonly msMax: number;
}

/** After a failure is known there is nothing more to learn; what the test started has this long to end. */
const cleanUpMs = 1500;

/** Runs one test file in processes of its own, with a temporary directory of its own. */
export function runTest(test: string, { substitute, coverage, msMax }: TestRunOptions): Promise<TestRun> {
  return inScratch(async (scratch, temporary) => {
    const began = performance.now();
    const env = environment(scratch, temporary);
    if (coverage !== undefined) env['NODE_V8_COVERAGE'] = coverage;
    if (substitute !== undefined) {
      env['MUTATION_FILE'] = absolute(substitute.file);
      env['MUTATION_TEXT'] = join(scratch, 'mutant.ts');
      writeFileSync(env['MUTATION_TEXT'], substitute.text);
    }
    const outcome = await outcomeOf(start(test, env), msMax);
    endProcessesOf(scratch);
    return { ...outcome, ms: Math.round(performance.now() - began), cpuMs: cpuMsIn(scratch) };
  });
}

function cpuMsIn(scratch: string): number {
  const path = join(scratch, cpuFile);
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [];
  return Math.round(lines.reduce((sum, line) => sum + Number(line), 0) / 1000);
}

/** Gives a directory of its own, and the temporary one of the processes in it; removes both. */
export async function inScratch<T>(run: (scratch: string, temporary: string) => Promise<T>): Promise<T> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'mut-')));
  const temporary = join(scratch, 't');
  mkdirSync(temporary);
  try {
    return await run(scratch, temporary);
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}

function start(test: string, env: NodeJS.ProcessEnv): ChildProcess {
  const argv = [
    join(repository, 'node_modules/mocha/bin/mocha.js'),
    ...['--no-parallel', '--bail', '--exit', '--reporter', join(import.meta.dirname, 'first-failure.ts'), test],
  ];
  // A process group of its own, so that all that it started can be ended with it.
  return spawn(process.execPath, argv, { cwd: repository, env, detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
}

/** Of the processes of a run: they preload the hook, and can be found by their scratch directory. */
export function environment(scratch: string, temporary: string): NodeJS.ProcessEnv {
  const options = `--import=${pathToFileURL(join(import.meta.dirname, 'preload.ts')).href}`;
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    TMPDIR: temporary,
    NODE_OPTIONS: options,
    MUTATION_NODE_OPTIONS: options,
    MUTATION_SCRATCH: scratch,
  };
  delete env['NODE_V8_COVERAGE'];
  return env;
}

function outcomeOf(child: ChildProcess, msMax: number): Promise<Omit<TestRun, 'ms' | 'cpuMs'>> {
  return new Promise((resolve, reject) => {
    let output = '';
    let isLate = false;
    let cleanUp: NodeJS.Timeout | undefined;
    const endLimit = timeLimit(msMax, () => {
      isLate = true;
      endGroup(child);
    });
    child.stdout!.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes(failureMark)) cleanUp ??= setTimeout(() => endGroup(child), cleanUpMs);
    });
    child.once('error', reject);
    child.once('exit', () => {
      endLimit();
      clearTimeout(cleanUp);
      endGroup(child);
    });
    child.once('close', () => {
      const failure = output.split('\n').find((line) => line.startsWith(failureMark));
      if (failure !== undefined) resolve({ outcome: 'failed', failure: failure.slice(failureMark.length) });
      else if (output.includes(passedMark)) resolve({ outcome: 'passed' });
      else resolve({ outcome: isLate ? 'timed out' : 'none' });
    });
  });
}

export function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Ends what left the process group; where there is no /proc, such processes are left to themselves. */
export function endProcessesOf(scratch: string): void {
  for (const pid of processIds()) {
    try {
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`MUTATION_SCRATCH=${scratch}\0`))
        process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended, or it is another user's.
    }
  }
}

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}
