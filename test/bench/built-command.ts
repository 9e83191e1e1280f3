import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtProgram } from '../support/build.ts';
import { environmentWith } from '../support/child-environment.ts';

/** The usage of one run of a program. */
export interface Run {
  /** From its start until it ended and its outputs were closed, in milliseconds. */
  readonly ms: number;
  /** Processor time of all its threads, in milliseconds. */
  readonly processorMs: number;
  /** The most resident memory that it had, in bytes. */
  readonly peakBytes: number;
}

const noteUsage = fileURLToPath(new URL('note-usage.cjs', import.meta.url));

/** Runs programs with Node one after the other, with a cache of compiled code of their own. */
export class BuiltCommands {
  readonly environment: Readonly<Record<string, string>>;
  readonly #usage: string;

  constructor(scratch: string) {
    this.#usage = join(mkdtempSync(join(scratch, 'usage-')), 'usage.json');
    this.environment = { XDG_CACHE_HOME: mkdtempSync(join(scratch, 'cache-')) };
  }

  /** One run of the `planner` of the build in a directory. Throws unless it ends with exit code 0. */
  planner(cwd: string, ...argv: readonly string[]): Promise<Run> {
    return this.node(cwd, builtProgram(), ...argv);
  }

  async node(cwd: string, ...argv: readonly string[]): Promise<Run> {
    const began = performance.now();
    const child = spawn(process.execPath, ['--require', noteUsage, ...argv], {
      cwd,
      env: environmentWith({ ...this.environment, BENCH_USAGE: this.#usage }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    child.stdout.resume();
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const code = await new Promise<number | null>((resolve, reject) =>
      child.once('error', reject).once('close', resolve),
    );
    const ms = performance.now() - began;
    if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${errors}`);
    return { ms, ...(JSON.parse(readFileSync(this.#usage, 'utf8')) as Omit<Run, 'ms'>) };
  }
}
