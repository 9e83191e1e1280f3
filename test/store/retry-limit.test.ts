import { expect } from 'chai';
import { NoServerError } from '../../src/store/hosted/postgres/pg-errors.ts';
import { RetryLimit, untilAnswered } from '../../src/store/hosted/postgres/pg-retry.ts';
import { ManualClock } from '../support/manual-clock.ts';

describe('A statement that no server answers', () => {
  const resolveMs = 30_000;

  function sent(clock: ManualClock, limit: RetryLimit): { readonly given: () => number | undefined } {
    let given: number | undefined;
    const refuse = (): Promise<never> => Promise.reject(new NoServerError(['There is none.']));
    untilAnswered(limit, refuse).catch(() => (given = clock.monotonic()));
    return { given: () => given };
  }

  it('is sent again until its time is over [A.nodes.away]', async () => {
    const clock = new ManualClock();
    const { given } = sent(clock, new RetryLimit({ clock, resolveMs }));
    await clock.pass(resolveMs - 1);
    expect(given()).to.equal(undefined);
    await clock.pass(1_000);
    expect(given()).to.be.within(resolveMs, resolveMs + 200);
  });

  it('is given up soon once its node ends, and so are those that follow, after one attempt [A.nodes.away]', async () => {
    const clock = new ManualClock();
    const limit = new RetryLimit({ clock, resolveMs });
    const { given } = sent(clock, limit);
    await clock.pass(5_000);
    limit.shorten(2_000);
    await clock.pass(1_500);
    expect(given()).to.equal(undefined);
    await clock.pass(1_000);
    expect(given()).to.be.within(7_000, 7_200);
    const later = sent(clock, limit);
    await clock.pass(5);
    expect(later.given()).to.be.within(7_500, 7_505);
    // The limit does not become longer again.
    limit.shorten(20_000);
    const last = sent(clock, limit);
    await clock.pass(5);
    expect(last.given()).to.be.within(7_505, 7_510);
  });
});
