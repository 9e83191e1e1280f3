import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import type { Without } from './casts.ts';

/** Which seeds a process simulates: until one fails, or the time is over. */
export interface Hunt {
  /** The first seed. */
  readonly from: number;
  readonly without: Without;
  /** Milliseconds of its processor time, and in all. */
  readonly cpuMsMax: number;
  readonly msMax: number;
}

export interface Found {
  /** The last seed. */
  readonly seed: number;
  /** The first failure of that seed, or undefined. */
  readonly failure: string | undefined;
  readonly operations: number;
  readonly cpuMs: number;
}

/** The number of steps of one simulation. */
export const huntedSteps = 200;

/**
 * The niceness: next to three other processes that need two processors, a quarter of one is left, and all of one while
 * they wait.
 */
const niceness = 5;

/** A process at lower priority that simulates. */
export class Hunter {
  readonly #child: ChildProcess;

  constructor(options: { readonly execArgv?: string[]; readonly env?: NodeJS.ProcessEnv } = {}) {
    this.#child = fork(new URL('hunt-process.ts', import.meta.url), { ...options, serialization: 'advanced' });
    const { pid } = this.#child;
    if (pid !== undefined) setPriority(pid, Math.max(niceness, getPriority()));
  }

  /** Throws if the process ends before it has an answer. */
  async hunt(hunt: Hunt): Promise<Found> {
    const over = new AbortController();
    this.#child.send(hunt);
    const ended = once(this.#child, 'exit', over).then(([code]) => {
      throw new Error(`The process that simulates has ended with ${String(code)}.`);
    });
    try {
      return await Promise.race<Found>([once(this.#child, 'message', over).then(([found]) => found as Found), ended]);
    } finally {
      ended.catch(() => undefined);
      over.abort();
    }
  }

  close(): void {
    this.#child.kill();
  }
}
