import { expect } from 'chai';
import { scheduleFor, type Without } from './casts.ts';
import { Hunter, huntedSteps } from './hunt.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulation.ts';

/**
 * Simulates seeds for some seconds in a separate process, next to tests that wait. A failure names its seed and the
 * shortest schedule that was found.
 */
export async function simulateFor(seconds: number, without: Without): Promise<void> {
  const hunter = new Hunter();
  try {
    const from = Date.now() % 2 ** 31;
    const hunt = { from, without, cpuMsMax: Infinity, msMax: seconds * 1000 };
    const { seed, failure, operations, cpuMs } = await hunter.hunt(hunt);
    console.log(`      ${operations} operations in ${(cpuMs / 1000).toFixed(1)} s of the processor`);
    if (failure === undefined) return;
    const schedule = scheduleFor(seed, huntedSteps, without);
    const { outcome } = await shrink(schedule, await simulate(schedule), simulate);
    const names = without.map((name) => ` --without "${name}"`).join('');
    console.log(outcome.lines.join('\n'));
    expect.fail(`npm run simulate -- --seed ${seed} --operations ${huntedSteps}${names}: ${failure}`);
  } finally {
    hunter.close();
  }
}
