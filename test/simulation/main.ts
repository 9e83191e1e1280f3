import { parseArgs } from 'node:util';
import { scheduleFor } from './casts.ts';
import { nodeScheduleOf } from './nodes/node-schedule.ts';
import { simulateNodes } from './nodes/node-simulation.ts';
import { findAllPlanted } from './planted.ts';
import { only, shrink, type Timed, type TimedStep } from './shrink.ts';
import { type Outcome, simulate } from './simulation.ts';

/**
 * `npm run simulate -- --seed N`: repeats a simulation, or runs new ones for some minutes. `--planted`: plants each
 * fault of `planted-faults.ts`, or the faults whose names contain `--only`, and runs new ones until it is found.
 * `--nodes`: several nodes over a shared log, instead of one store over files.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    operations: { type: 'string', default: '1000' },
    minutes: { type: 'string' },
    steps: { type: 'string' },
    without: { type: 'string', multiple: true, default: [] },
    lines: { type: 'boolean', default: false },
    calls: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: true },
    nodes: { type: 'boolean', default: false },
    planted: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
  allowNegative: true,
});

if (values.planted) {
  const from = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
  const missed = await findAllPlanted(values.only, from, 60_000 * Number(values.minutes ?? 10));
  process.exit(missed.length > 0 ? 1 : 0);
}

const steps = Number(values.operations);
const chosen = values.steps?.split(',');
const began = performance.now();
const secondsSince = (): number => (performance.now() - began) / 1000;
let operations = 0;
let runs = 0;
let seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
const isPassed = values.nodes
  ? () => passes(nodeScheduleOf(seed, steps), simulateNodes)
  : () => passes(scheduleFor(seed, steps, values.without), (one) => simulate(one, { listsCalls: values.calls }));
while (await isPassed()) {
  if (values.minutes === undefined || secondsSince() > 60 * Number(values.minutes)) break;
  seed++;
}
const { user, system } = process.cpuUsage();
const perSecond = Math.round(operations / ((user + system) / 1e6));
console.log(
  `${runs} simulations, ${operations} operations, ${perSecond} per second of the processor, last seed ${seed}`,
);

/** Runs a schedule, or the chosen steps of it; if it fails, prints the shortest one that fails. */
async function passes<S extends TimedStep>(
  whole: Timed<S>,
  run: (schedule: Timed<S>) => Promise<Outcome>,
): Promise<boolean> {
  const schedule = chosen === undefined ? whole : only(whole, ({ index }) => chosen.includes(String(index)));
  const outcome = await run(schedule);
  runs++;
  operations += outcome.operations;
  if (values.lines || values.calls) console.log(outcome.lines.join('\n'));
  if (outcome.failures.length === 0) return true;
  console.log(`seed ${seed} fails: ${outcome.failures.join('\n  ')}`);
  process.exitCode = 1;
  if (!values.shrink) return false;
  const shrunk = await shrink(schedule, outcome, run);
  console.log(`${shrunk.schedule.steps.length} of ${schedule.steps.length} steps are needed:`);
  for (const { index, afterMs, event, actor } of shrunk.schedule.steps)
    console.log(`  step ${index}, ${afterMs.toFixed(3)} ms later: ${event ?? actor}`);
  console.log(shrunk.outcome.lines.join('\n'));
  return false;
}
