import { systemClock } from '../../base/clock.ts';
import type { Timer } from '../../base/clock.ts';
import { endGroup } from '../../platform/programs.ts';
import type { StartedProgram } from '../../platform/programs.ts';

/** From SIGTERM to SIGKILL. */
const graceMsDefault = 5_000;
/** From the end of a program until its output is no longer waited for: a process that left the group may hold it open. */
const outputMsMax = 2_000;

/** How a program ended: the one or the other. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that was started with `detached`: when it ends, or is stopped, all that it started in its group ends with it. */
export class ProcessGroup {
  /** Resolves once the rest of the group has ended and the output is read. Rejects if the program cannot be started. */
  readonly ended: Promise<ProgramEnd>;
  readonly #child: StartedProgram;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #graceMs: number;
  #killing: Timer | undefined;
  #hasEnded = false;

  constructor(child: StartedProgram, environment: NodeJS.ProcessEnv, graceMs = graceMsDefault) {
    this.#child = child;
    this.#environment = environment;
    this.#graceMs = graceMs;
    this.ended = this.#end();
    // A caller that waits for it handles the rejection.
    this.ended.catch(() => undefined);
  }

  /** Sends SIGTERM, and after a while SIGKILL. */
  stop(): void {
    if (this.#hasEnded || this.#killing !== undefined) return;
    endGroup(this.#child, 'SIGTERM', this.#environment);
    this.#killing = systemClock.after(this.#graceMs, () => endGroup(this.#child, 'SIGKILL', this.#environment));
  }

  async #end(): Promise<ProgramEnd> {
    const child = this.#child;
    const closed = new Promise<void>((resolve) => void child.once('close', () => resolve()));
    const end = await new Promise<ProgramEnd>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
    this.#hasEnded = true;
    this.#killing?.cancel();
    endGroup(child, 'SIGKILL', this.#environment);
    const late = systemClock.after(outputMsMax, () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    });
    await closed;
    late.cancel();
    return end;
  }
}
