import type { Outcome } from './simulation.ts';

/** The members of a step of any kind of schedule. */
export interface TimedStep {
  readonly index: number;
  readonly afterMs: number;
  readonly actor?: string;
  readonly event?: string;
}

export interface Timed<S extends TimedStep> {
  readonly seed: number;
  readonly steps: readonly S[];
}

export interface Shrunk<S extends TimedStep> {
  readonly schedule: Timed<S>;
  readonly outcome: Outcome;
}

/** The processor time of trying shorter schedules: a failure is printed within a minute. */
const shrinkCpuMsMax = 45_000;

/**
 * Leaves out steps of a failing schedule while it still fails in the same way: halves first, then less, at last step by
 * step, until each one is needed.
 */
export async function shrink<S extends TimedStep>(
  schedule: Timed<S>,
  outcome: Outcome,
  simulate: (schedule: Timed<S>) => Promise<Outcome>,
): Promise<Shrunk<S>> {
  const kind = kindOf(outcome);
  const began = process.cpuUsage();
  const isOver = (): boolean => {
    const { user, system } = process.cpuUsage(began);
    return user + system > shrinkCpuMsMax * 1000;
  };
  // The steps after the failure have not happened.
  let best: Shrunk<S> = { schedule: { ...schedule, steps: schedule.steps.slice(0, outcome.steps) }, outcome };
  for (let size = best.schedule.steps.length >> 1; size >= 1 && !isOver();) {
    const before = best.schedule.steps.length;
    for (let at = 0; at < best.schedule.steps.length && !isOver();) {
      const shorter = { ...schedule, steps: without(best.schedule.steps, at, size) };
      const tried = await simulate(shorter);
      if (kindOf(tried) === kind) best = { schedule: shorter, outcome: tried };
      else at += size;
    }
    // Without a step, another may not be needed any more.
    if (size > 1) size >>= 1;
    else if (best.schedule.steps.length === before) break;
  }
  return best;
}

/** The steps except `size` from `at`; the next one comes as late as before. */
function without<S extends TimedStep>(steps: readonly S[], at: number, size: number): S[] {
  const left = steps.slice(0, at);
  const lostMs = steps.slice(at, at + size).reduce((sum, { afterMs }) => sum + afterMs, 0);
  const [next, ...rest] = steps.slice(at + size);
  return next === undefined ? left : [...left, { ...next, afterMs: next.afterMs + lostMs }, ...rest];
}

/** Only these steps, each at its time. */
export function only<S extends TimedStep>(schedule: Timed<S>, isKept: (step: S) => boolean): Timed<S> {
  let { steps } = schedule;
  for (let at = steps.length - 1; at >= 0; at--) if (!isKept(steps[at]!)) steps = without(steps, at, 1);
  return { ...schedule, steps };
}

/** A failure without the values in it. */
function kindOf({ failures: [first] }: Outcome): string | undefined {
  return first?.split('\n')[0]!.replace(/zq\d+z|\b[a-z]{3}_\w+|\d+|"[^"]*"|\S+\.\S+/g, '…');
}
