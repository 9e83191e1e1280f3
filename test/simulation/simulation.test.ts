import { expect } from 'chai';
import { casts } from './casts.ts';
import { scheduleOf } from './schedule.ts';
import { simulate } from './simulation.ts';
import { simulateFor } from './suite.ts';

/** The seconds of all simulations. */
const seconds = Number(process.env['PLANNER_SIMULATE_SECONDS'] ?? 6);

describe('The store in a simulation [A.crash.simulation]', () => {
  for (const [name, without] of Object.entries(casts))
    it(`serves, writes and remembers what ${name} do`, async function () {
      this.timeout(0);
      await simulateFor(seconds / Object.keys(casts).length, without);
    });

  it('runs the same way for the same seed', async () => {
    const [first, second] = [await simulate(scheduleOf(7, 120)), await simulate(scheduleOf(7, 120))];
    expect(second.lines).to.deep.equal(first.lines);
    expect(first.lines).to.have.length.above(50);
  });

  it('fails if nothing that is synced outlives a power cut', async function () {
    this.timeout(0);
    const cut = ({ event }: { readonly event?: string }): boolean => event === 'cut the power';
    for (let seed = 1; ; seed++) {
      const schedule = scheduleOf(seed, 120);
      if (!schedule.steps.some(cut)) continue;
      const { failures } = await simulate(schedule, { withoutSync: true });
      if (failures.length > 0) break;
      expect(seed).to.be.below(60);
    }
  });
});
