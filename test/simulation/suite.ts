import { expect } from 'chai';
import { scheduleFor, type Without } from './casts.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulation.ts';

/** The number of steps of one simulation. */
const steps = 200;

/** Simulates seeds for some seconds. A failure names its seed and the shortest schedule that was found. */
export async function simulateFor(seconds: number, without: Without): Promise<void> {
  const began = performance.now();
  let operations = 0;
  for (let seed = Date.now() % 2 ** 31; ; seed++) {
    const schedule = scheduleFor(seed, steps, without);
    const outcome = await simulate(schedule);
    operations += outcome.operations;
    if (outcome.failures.length > 0) {
      const shrunk = await shrink(schedule, outcome);
      const names = without.map((name) => ` --without "${name}"`).join('');
      console.log(shrunk.outcome.lines.join('\n'));
      expect.fail(`npm run simulate -- --seed ${seed} --operations ${steps}${names}: ${outcome.failures[0]}`);
    }
    if (performance.now() - began > seconds * 1000) break;
  }
  console.log(`      ${operations} operations`);
}
